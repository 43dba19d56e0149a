//! `pcall` and `xpcall` within each other: no deeper behind an error than before it, so that a script that is ended passes few
//! of them.
#![cfg(feature = "scripting")]

use keylatch::{Connection, Keylatch, ManualClock, Options};

/// Runs a script of a connection, which can be suspended, in slices. Returns its reply and the number of slices.
fn run(script: &str) -> (String, usize) {
    let mut db = Keylatch::new(Options::default(), ManualClock::default());
    db.scripts().suspend_after(100_000);
    let client = db.accept("127.0.0.1:50000", "127.0.0.1:6379");
    let mut connection = Connection::new(client, db.limits());
    let request = format!("*3\r\n$4\r\nEVAL\r\n${}\r\n{script}\r\n$1\r\n0\r\n", script.len());
    let (mut out, mut slices) = (Vec::new(), 1);
    connection.feed(&mut db, request.as_bytes(), &mut out);
    while db.scripts().is_suspended() {
        db.scripts().resume(0);
        slices += 1;
    }
    connection.feed(&mut db, b"", &mut out);
    (String::from_utf8(out).unwrap(), slices)
}

#[test]
fn an_error_leaves_the_depth_of_protected_calls_as_it_was() {
    for call in ["pcall(nest, depth + 1)", "xpcall(function() nest(depth + 1) end, tostring)"] {
        let script = format!(
            "local deepest, calls, message = 0, 0, nil
            local function nest(depth)
              deepest, calls = math.max(deepest, depth), calls + 1
              if calls > 2000 then return end
              for i = 1, 2 do
                local done, text = {call}
                if not done then message = text end
              end
            end
            nest(0)
            return {{deepest, calls > 2000, message}}"
        );
        let (reply, _) = run(&script);
        let lines: Vec<&str> = reply.lines().collect();
        let deepest: u32 = lines[1][1..].parse().unwrap();
        assert!((20..=64).contains(&deepest), "{call}: {reply}");
        assert!(lines.last().unwrap().ends_with("C stack overflow"), "{call}: {reply}");
    }
}

#[test]
fn a_coroutine_has_a_depth_of_its_own() {
    let script = "local function nest(depth)
          if depth == 0 then return coroutine.yield('left') end
          return select(2, pcall(nest, depth - 1))
        end
        local turns = {}
        for turn = 1, 40 do turns[turn] = coroutine.wrap(nest) turns[turn](30) end
        for turn = 1, 40 do turns[turn] = turns[turn](turn) end
        return {#turns, turns[1], turns[40]}";
    assert_eq!(run(script).0, "*3\r\n:40\r\n:1\r\n:40\r\n");
}

#[test]
fn nested_calls_end_with_the_limit_of_the_script() {
    let (reply, slices) = run("local f f = function(...) pcall(f, ...) pcall(f, ...) end f()");
    assert!(reply.starts_with("-ERR the script ran longer than"), "{reply}");
    assert!(slices > 100);
}
