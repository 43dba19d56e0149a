//! Whole streams of commands, from input bytes to output bytes.

use keylatch::{Connection, Limits};

use super::engines::{check_copy, engine, fill};

const LIMITS: Limits = Limits { bulk_bytes: 1 << 20, request_bytes: 1 << 20 };
/// Output limit: a stream may request a long reply again and again.
const OUTPUT_MAX: usize = 1 << 24;

/// The first byte selects the chunk length, which changes neither the replies nor the final keyspace. The effects
/// contain all changes of the stream.
pub fn check(bytes: &[u8]) {
    let Some((&size, stream)) = bytes.split_first() else { return };
    let whole = answers(stream, stream.len().max(1));
    assert!(answers(stream, usize::from(size).max(1)) == whole, "cut otherwise it is answered otherwise");
}

fn answers(stream: &[u8], piece: usize) -> (Vec<u8>, u64) {
    let mut engine = engine(1);
    engine.record(true);
    fill(&mut engine);
    let mut connection = Connection::new(engine.connect(), LIMITS);
    let mut out = Vec::new();
    for piece in stream.chunks(piece) {
        let mut fed = connection.feed(&mut engine, piece, &mut out);
        while fed.more && out.len() < OUTPUT_MAX {
            fed = connection.feed(&mut engine, b"", &mut out);
        }
        if out.len() >= OUTPUT_MAX {
            // The part of a chunk that has run depends on its length.
            return (Vec::new(), 0);
        }
    }
    let mut replayed = self::engine(2);
    replayed.replay(&engine.take_effects()).expect("what was logged can be replayed");
    assert_eq!(replayed.digest(), engine.digest(), "the effects are another keyspace");
    check_copy(&engine);
    (out, engine.digest())
}

pub fn seeds() -> Vec<Vec<u8>> {
    let lines = [
        "SET text x KEEPTTL GET\r\nINCRBYFLOAT number 0.5\r\nLCS text raw IDX\r\nBITFIELD raw SET u8 #1 200 GET i5 3\r\n",
        "MULTI\r\nLMOVE list long LEFT RIGHT\r\nRENAME hash other\r\nEXEC\r\nCOPY wide copy REPLACE\r\nSORT large ALPHA LIMIT 0 5 STORE sorted\r\n",
        "ZADD ranked GT CH 9 a 1 z\r\nZRANGE deep (3 +inf BYSCORE LIMIT 1 5 WITHSCORES\r\nZUNIONSTORE u 2 ranked deep WEIGHTS 2 3 AGGREGATE MAX\r\nZPOPMAX u 3\r\n",
        "HPEXPIRE hash 500 FIELDS 1 field\r\nHGETDEL wide FIELDS 1 3\r\nHSCAN wide 0 COUNT 5\r\nSSCAN large 0 MATCH x*\r\nSPOP large 3\r\n",
        "GEOSEARCH places FROMLONLAT 13 38 BYRADIUS 200 km ASC WITHDIST\r\nPFMERGE sketch other\r\nPFCOUNT sketch\r\nDUMP list\r\nOBJECT ENCODING deep\r\n",
        "HELLO 3\r\nSUBSCRIBE a\r\nPUBLISH a b\r\nCLIENT TRACKING ON BCAST\r\nSET k v\r\nBLPOP none 1\r\nPING\r\nWATCH k\r\n",
        "CONFIG SET hash-max-listpack-entries 3\r\nHSET hash c 3 d 4\r\nSWAPDB 0 1\r\nFLUSHDB\r\nMOVE text 3\r\nDEBUG RELOAD\r\nINFO\r\n",
    ];
    lines.iter().map(|lines| [&[3], lines.as_bytes()].concat()).collect()
}
