//! Tests of the encoder.

use super::*;

fn written(protocol: Protocol, write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::new(protocol);
    write(&mut writer);
    writer.into_bytes()
}

#[test]
fn resp2_gets_the_older_form_of_each_shape() {
    let write = |writer: &mut Writer| {
        writer.null();
        writer.null_array();
        writer.double(1.5);
        writer.map(1);
        writer.set(2);
        writer.push(3);
        writer.verbatim(b"txt", b"hi");
    };
    assert_eq!(written(Protocol::Resp2, write), b"$-1\r\n*-1\r\n$3\r\n1.5\r\n*2\r\n*2\r\n*3\r\n$2\r\nhi\r\n");
    assert_eq!(written(Protocol::Resp3, write), b"_\r\n_\r\n,1.5\r\n%1\r\n~2\r\n>3\r\n=6\r\ntxt:hi\r\n");
}

#[test]
fn an_aggregate_of_unknown_length_gets_its_header_when_closed() {
    let reply = written(Protocol::Resp3, |writer| {
        writer.integer(7);
        let outer = writer.open();
        writer.bulk(b"k");
        let inner = writer.open();
        writer.close_array(inner, 0);
        writer.close_map(outer, 1);
    });
    assert_eq!(reply, b":7\r\n%1\r\n$1\r\nk\r\n*0\r\n");
}

#[test]
fn bulk_strings_of_every_length_have_their_header() {
    for len in [0, 1, 9, 10, 11, 63, 99, 100, 101, 999, 1000, 9999, 10_000, 123_456] {
        let value = alloc::vec![b'v'; len];
        let expected = [alloc::format!("${len}\r\n").as_bytes(), &value, b"\r\n"].concat();
        assert_eq!(written(Protocol::Resp2, |writer| writer.bulk(&value)), expected);
    }
}

#[test]
fn line_breaks_in_an_error_become_blanks() {
    let error = ErrorText::unknown_command(b"FO\r\nO", [&b"a"[..], b"b"].into_iter());
    let reply = written(Protocol::Resp2, |writer| writer.error(&error));
    assert_eq!(reply, b"-ERR unknown command 'FO  O', with args beginning with: 'a' 'b' \r\n");
}
