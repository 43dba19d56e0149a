//! Latches beside the commands that people build them from, and lines of waiting clients of two lengths.

use std::hint::black_box;

use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options};

use super::{Benches, Commands, Dice, NOW, SEED, SIZES, command, measure};

/// Pairs of an acquisition and a release, and uses of a counter and of a limit.
pub fn latches(criterion: &mut Benches) {
    let mut commands = Commands::new();
    let mut row = |name: &str, turns: &[Argv]| commands.measure(criterion, name, turns);
    row(
        "set nx px, delex",
        &[
            command(&[b"SET", b"lock", b"owner-0000000001", b"NX", b"PX", b"30000"]),
            command(&[b"DELEX", b"lock", b"IFEQ", b"owner-0000000001"]),
        ],
    );
    row(
        "latch.acquire, latch.release",
        &[
            command(&[b"LATCH.ACQUIRE", b"latch", b"owner-0000000001", b"TTL", b"30000"]),
            command(&[b"LATCH.RELEASE", b"latch", b"owner-0000000001"]),
        ],
    );
    uses(criterion, "incr of one counter", &command(&[b"INCR", b"hits"]));
    uses(criterion, "latch.limit", &command(&[b"LATCH.LIMIT", b"limit", b"100", b"PERIOD", b"60000"]));
}

/// Milliseconds between two uses of a limit, which it allows: one of a hundred in a minute.
const INTERVAL_MS: i64 = 600;

/// A command that is sent again and again, while time goes on.
fn uses(criterion: &mut Benches, row: &str, command: &Argv) {
    let mut commands = Commands::new();
    measure(criterion, row, "keylatch", |bencher| {
        bencher.iter(|| {
            commands.engine.clock_mut().advance(INTERVAL_MS);
            commands.run(black_box(command));
        });
    });
    // Once more, because a filter may have skipped the row.
    commands.run(command);
    let reply = commands.output.as_slice();
    assert!(reply.starts_with(b":") || reply.starts_with(b"*4\r\n:1\r\n"), "{}", reply.escape_ascii());
}

/// Clients that wait for one latch, each as an owner of its own.
struct Line {
    engine: Keylatch<ManualClock>,
    clients: Vec<ClientId>,
    /// Index of the client that holds the latch.
    holder: usize,
    admin: ClientId,
}

impl Line {
    fn new(len: usize) -> Line {
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(NOW));
        let admin = engine.connect();
        let clients = (0..=len).map(|_| engine.connect()).collect();
        let mut line = Line { engine, clients, holder: 0, admin };
        (0..=len).for_each(|index| line.wait(index));
        line
    }

    fn run(&mut self, client: ClientId, words: &[&str]) -> Vec<u8> {
        let mut reply = Vec::new();
        self.engine.execute(client, Argv::from_slices(words).as_ref(), &mut reply);
        reply
    }

    /// Acquires the latch, or waits at the end of the line.
    fn wait(&mut self, index: usize) {
        let owner = index.to_string();
        self.run(self.clients[index], &["LATCH.ACQUIRE", "latch", &owner, "TTL", "99999999", "WAIT", "99999999"]);
    }

    /// Takes the late reply of a client.
    fn reply(&mut self, index: usize) -> Vec<u8> {
        self.engine.take_affected();
        self.engine.take_outbox(self.clients[index])
    }

    /// Releases the latch, which the next in line is granted, and waits again.
    fn hand_over(&mut self) {
        let (holder, next) = (self.holder, (self.holder + 1) % self.clients.len());
        let released = self.run(self.clients[holder], &["LATCH.RELEASE", "latch", &holder.to_string()]);
        let granted = self.reply(next);
        assert!(released == b":1\r\n" && granted.starts_with(b":"), "{}", granted.escape_ascii());
        self.holder = next;
        self.wait(holder);
    }

    /// Ends the wait of a client, and lets it wait again.
    fn cancel(&mut self, index: usize) {
        let unblocked = self.run(self.admin, &["CLIENT", "UNBLOCK", &self.clients[index].0.to_string()]);
        let reply = self.reply(index);
        assert!(unblocked == b":1\r\n" && reply == b"$-1\r\n", "{}", reply.escape_ascii());
        self.wait(index);
    }
}

/// Lines of a thousand clients and of a hundred thousand, which are to cost nearly the same.
pub fn lines(criterion: &mut Benches) {
    for (name, len) in SIZES {
        let mut line = Line::new(len);
        measure(criterion, &format!("latch handed over, {name} waiting"), "keylatch", |bencher| {
            bencher.iter(|| black_box(&mut line).hand_over());
        });
        // The line is in the order of the clients again, from the holder on: any of them but the holder waits.
        let mut dice = Dice::new(SEED);
        measure(criterion, &format!("wait cancelled and begun again, {name} waiting"), "keylatch", |bencher| {
            bencher.iter(|| {
                let behind = 1 + dice.roll(len as u64) as usize;
                let index = (line.holder + behind) % line.clients.len();
                line.cancel(index);
            });
        });
    }
}
