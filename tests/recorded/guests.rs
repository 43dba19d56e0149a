//! Short connections of a client with requests that would take a worker out of the stream: it disconnects, turns replies
//! off, pauses the others or sends malformed requests.

/// Requests of a second monitor. After a client has monitored, the engine takes no fast path, even when the client is
/// disconnected: in other configurations such a guest would leave little to record.
pub const MONITORING: &[&str] = &["MONITOR\r\n", "GET k1\r\n"];

/// The bytes that a guest sends, chunk by chunk; `{id}` is its own number.
pub const VISITS: &[&[&str]] = &[
    &["CLIENT REPLY OFF\r\nSET k1 x\r\nGET k1\r\n", "CLIENT REPLY ON\r\nGET k1\r\n"],
    &["CLIENT REPLY SKIP\r\nGET k1\r\nGET k1\r\n", "SET k2 7\r\nCLIENT REPLY SKIP\r\nSET k2 8\r\nINCR k2\r\n"],
    &["GET k1\r\nQUIT\r\nGET k2\r\n"],
    &["GET k1\r\nCLIENT KILL ID {id} SKIPME no\r\nGET k2\r\n"],
    &["CLIENT NO-TOUCH ON\r\nGET k1\r\nGET k2\r\n", "SET k3 v\r\nOBJECT IDLETIME k1\r\nOBJECT FREQ k1\r\n"],
    &["CLIENT NO-EVICT ON\r\nGET k1\r\nCLIENT INFO\r\n"],
    &["CLIENT PAUSE 40 WRITE\r\nGET k1\r\nSET k1 v\r\n", "GET k1\r\n"],
    &["CLIENT PAUSE 25\r\nGET k1\r\n", "SET k1 v\r\n"],
    &[
        "CONFIG SET requirepass secret\r\nRESET\r\nGET k1\r\n",
        "AUTH secret\r\nGET k1\r\nCONFIG SET requirepass \"\"\r\n",
    ],
    &["AUTH nobody\r\nGET k1\r\nAUTH a b\r\n"],
    &["SUBSCRIBE news\r\nGET k1\r\nPING\r\n", "PUBLISH news x\r\nQUIT\r\n"],
    &["*1\r\n$abc\r\nGET k1\r\n"],
    &["GET \"k1\r\nGET k2\r\n"],
    &["*0\r\n\r\n*-1\r\n*2\r\n$3\r\nGET\r\n$2\r\nk1\r\n", "*2\r\n$3\r\nGE", "T\r\n$2\r", "\nk1\r\n"],
    &["MULTI\r\nSET k4 v\r\n", "GET k4\r\n"],
    &["WATCH k1\r\nMULTI\r\n", "BLPOP nothing 0\r\nGET k1\r\nEXEC\r\n"],
    &["BLPOP nothing 0\r\nGET k1\r\nSET k1 2\r\n"],
    &["CLIENT SETINFO LIB-NAME guest\r\nCLIENT SETNAME guest\r\nSELECT 1\r\nGET k1\r\nSET k1 v PX 100\r\n"],
];
