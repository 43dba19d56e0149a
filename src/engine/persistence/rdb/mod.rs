//! Snapshots: a whole keyspace as an RDB file. The version is 10 (Redis 7.0 and newer), or 12 if fields of hashes have
//! deadlines (Redis 7.4 and newer). RDB files of Redis up to version 13 and of Valkey (80) are loaded if all values are
//! of supported types.
//!
//! Auxiliary fields, which Redis skips, hold their own version, the seed, the state of the random generator and the
//! instant of the engine. The seed keeps cursors of SCAN valid. Damaged files and newer versions are refused before
//! anything changes. No memory is allocated for an announced length alone.

mod skip;

use alloc::vec::Vec;

use super::{LoadError, Skipped};
use crate::base::clock::Timestamp;
use crate::base::headroom::OutOfMemory;
use crate::base::number::{parse_integer, write_integer};
use crate::base::random::STATE_BYTES;
use crate::keyspace::{DATABASES, Db, Keyspace, PastUse};
use crate::server::scripts::library::Libraries;
use crate::values::EncodingLimits;
use crate::values::rdb::{
    DumpError, FIELD_DEADLINES_SINCE, FUNCTION_2, Input, Output, RDB_VERSION, crc64, read_value, type_of, write_value,
};

const MAGIC: &[u8] = b"REDIS";
/// Magic of Valkey's files since version 80.
const VALKEY_MAGIC: &[u8] = b"VALKEY";
/// Length of magic and version.
const HEADER_BYTES: usize = 9;
const CHECKSUM_BYTES: usize = 8;
/// First version with a checksum at the end.
const CHECKSUM_SINCE: u32 = 5;
/// Newest supported version of Redis' files.
const REDIS_VERSION_MAX: u32 = 13;
/// Supported version of Valkey's files.
const VALKEY_VERSION: u32 = 80;

/// Data that modules attach to the next key (Redis 8.6); in files of Valkey the state of a migration.
const KEY_METADATA: u8 = 0xf3;
const SLOT_INFO: u8 = 0xf4;
const FUNCTION: u8 = 0xf6;
const MODULE_AUX: u8 = 0xf7;
const IDLE: u8 = 0xf8;
const FREQUENCY: u8 = 0xf9;
const AUX: u8 = 0xfa;
const RESIZE_DB: u8 = 0xfb;
const EXPIRE_MS: u8 = 0xfc;
const EXPIRE_SECONDS: u8 = 0xfd;
const SELECT_DB: u8 = 0xfe;
const END: u8 = 0xff;

/// Redis release of the format that is written.
const REDIS_RELEASE: &[u8] = b"7.0.0";
const AUX_VERSION: &[u8] = b"keylatch-version";
const AUX_SEED: &[u8] = b"keylatch-seed";
/// State of the random generator: a loaded copy goes on with the same random choices.
const AUX_RANDOM: &[u8] = b"keylatch-random";
const AUX_NOW: &[u8] = b"keylatch-now";
/// Largest token of a latch.
const AUX_TOKEN: &[u8] = b"keylatch-token";
/// Version of keylatch's auxiliary fields.
const FORMAT_VERSION: i64 = 1;

const MS_PER_SECOND: i64 = 1000;

/// Writes a keyspace as a file. Expired keys that are not yet removed are included.
pub fn save(keyspace: &Keyspace, libraries: &Libraries, now: Timestamp) -> Result<Vec<u8>, OutOfMemory> {
    let mut out = Output::default();
    out.raw(MAGIC);
    let dated = keyspace.databases().any(|(_, db)| db.field_deadline_count() > 0);
    let version = if dated { FIELD_DEADLINES_SINCE } else { RDB_VERSION };
    out.raw(alloc::format!("{version:04}").as_bytes());
    save_aux(keyspace, now, &mut out);
    for library in libraries.iter() {
        out.byte(FUNCTION_2);
        out.string(&library.code);
    }
    for (database, db) in keyspace.databases().filter(|(_, db)| !db.is_empty()) {
        save_database(keyspace, database, db, &mut out);
    }
    out.byte(END);
    let checksum = crc64(out.written());
    out.raw(&checksum.to_le_bytes());
    out.finish()
}

fn save_aux(keyspace: &Keyspace, now: Timestamp, out: &mut Output) {
    let mut field = |name: &[u8], value: &[u8]| {
        out.byte(AUX);
        out.string(name);
        out.string(value);
    };
    let text = |number: i64| {
        let mut text = Vec::new();
        write_integer(number, &mut text);
        text
    };
    field(b"redis-ver", REDIS_RELEASE);
    field(b"redis-bits", b"64");
    field(AUX_VERSION, &text(FORMAT_VERSION));
    field(AUX_SEED, alloc::format!("{}", keyspace.seed()).as_bytes());
    if keyspace.last_token() > 0 {
        field(AUX_TOKEN, &text(keyspace.last_token() as i64));
    }
    field(AUX_RANDOM, &keyspace.random_state());
    // `Timestamp::MIN` means that the host never gave a time.
    if now > Timestamp::MIN {
        field(b"ctime", &text(now.as_ms().div_euclid(MS_PER_SECOND)));
        field(AUX_NOW, &text(now.as_ms()));
    }
}

fn save_database(keyspace: &Keyspace, database: u8, db: &Db, out: &mut Output) {
    out.byte(SELECT_DB);
    out.length(database.into());
    out.byte(RESIZE_DB);
    out.length(db.len() as u64);
    out.length(db.deadline_count() as u64);
    for handle in db.handles() {
        let Some(entry) = db.entry(handle) else { continue };
        if let Some(deadline) = entry.deadline {
            out.byte(EXPIRE_MS);
            out.raw(&deadline.as_ms().to_le_bytes());
        }
        // Last use and frequency are saved only if the policy ranks keys by them, as in Redis.
        match keyspace.ranks_uses().then(|| keyspace.past_use(db, handle)) {
            Some(PastUse::IdleSeconds(idle_s)) => {
                out.byte(IDLE);
                out.length(idle_s);
            }
            Some(PastUse::Frequency(frequency)) => {
                out.byte(FREQUENCY);
                out.byte(frequency);
            }
            None => {}
        }
        out.byte(type_of(entry.value));
        out.string(entry.key);
        write_value(entry.value, out);
    }
}

/// Contents of a file.
#[derive(Debug)]
pub struct Loaded {
    pub keyspace: Keyspace,
    pub libraries: Libraries,
    /// Instant of the engine that wrote the file; `None` for files of Redis and Valkey.
    pub written_at: Option<Timestamp>,
}

/// Loads a file into a new keyspace, with the limits of the present one, and its seed if the file has none. No key
/// expires while loading. The next command or tick removes due keys, so a log may be replayed on top of the snapshot
/// first. With `skipped`, parts of other types are left out and described there; their length must be known.
pub fn load(present: &Keyspace, snapshot: &[u8], skipped: Option<&mut Skipped>) -> Result<Loaded, LoadError> {
    let version = check_frame(snapshot)?;
    let end = snapshot.len() - if version < CHECKSUM_SINCE { 0 } else { CHECKSUM_BYTES };
    let mut loader = Loader::new(snapshot.get(..end).unwrap_or_default(), present);
    (loader.skipped, loader.has_key_metadata) = (skipped, version <= REDIS_VERSION_MAX);
    loader.run().map_err(|error| loader.located(error))?;
    Ok(Loaded { keyspace: loader.keyspace, libraries: loader.libraries, written_at: loader.written_at })
}

/// Checks magic, version and checksum; returns the version.
fn check_frame(snapshot: &[u8]) -> Result<u32, LoadError> {
    let malformed = LoadError::Malformed { offset: 0 };
    let header = snapshot.get(..HEADER_BYTES).ok_or(malformed.clone())?;
    let digits = header.strip_prefix(VALKEY_MAGIC).or(header.strip_prefix(MAGIC)).ok_or(malformed.clone())?;
    let digits = core::str::from_utf8(digits).map_err(|_| malformed.clone())?;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(malformed);
    }
    let version: u32 = digits.parse().map_err(|_| malformed.clone())?;
    match version {
        0 => return Err(malformed),
        1..=REDIS_VERSION_MAX | VALKEY_VERSION => {}
        _ => return Err(LoadError::NewerVersion),
    }
    if version >= CHECKSUM_SINCE {
        check_checksum(snapshot)?;
    }
    Ok(version)
}

/// Verifies the checksum at the end of the file. Zero means that it was not computed.
fn check_checksum(snapshot: &[u8]) -> Result<(), LoadError> {
    let malformed = LoadError::Malformed { offset: snapshot.len() };
    let (contents, checksum) = snapshot.split_last_chunk::<CHECKSUM_BYTES>().ok_or(malformed)?;
    let checksum = u64::from_le_bytes(*checksum);
    if checksum == 0 || checksum == crc64(contents) { Ok(()) } else { Err(LoadError::Checksum) }
}

/// Reason for refusing a file, without the offset.
enum Refusal {
    Newer,
    Dump(DumpError),
    Value { key: Vec<u8>, type_code: u8 },
}

impl From<DumpError> for Refusal {
    fn from(error: DumpError) -> Refusal {
        Refusal::Dump(error)
    }
}

impl From<OutOfMemory> for Refusal {
    fn from(error: OutOfMemory) -> Refusal {
        Refusal::Dump(error.into())
    }
}

const MALFORMED: Refusal = Refusal::Dump(DumpError::Malformed);

/// Loader of a file's contents into a new keyspace.
struct Loader<'a> {
    input: Input<'a>,
    /// Offset of the type or opcode that is read.
    item_at: usize,
    skipped: Option<&'a mut Skipped>,
    has_key_metadata: bool,
    limits: EncodingLimits,
    keyspace: Keyspace,
    libraries: Libraries,
    database: u8,
    /// Deadline of the next key.
    deadline: Option<Timestamp>,
    /// Idle time or frequency of the next key.
    past_use: Option<PastUse>,
    has_keys: bool,
    written_at: Option<Timestamp>,
    random_state: Option<[u8; STATE_BYTES]>,
}

impl<'a> Loader<'a> {
    fn new(contents: &'a [u8], present: &Keyspace) -> Loader<'a> {
        let mut input = Input::new(contents);
        // `check_frame` has validated the header.
        let _ = input.take(HEADER_BYTES);
        let (keyspace, limits) = (present.for_snapshot(present.seed()), present.limits);
        let (deadline, past_use, has_keys, written_at) = (None, None, false, None);
        let (libraries, random_state) = (Libraries::default(), None);
        Loader {
            input,
            item_at: 0,
            skipped: None,
            has_key_metadata: false,
            limits,
            keyspace,
            libraries,
            database: 0,
            deadline,
            past_use,
            has_keys,
            written_at,
            random_state,
        }
    }

    fn located(&self, refusal: Refusal) -> LoadError {
        let offset = self.input.offset();
        match refusal {
            Refusal::Newer => LoadError::NewerVersion,
            Refusal::Dump(DumpError::Malformed) => LoadError::Malformed { offset },
            Refusal::Dump(DumpError::Unsupported) => LoadError::Unsupported { offset: self.item_at },
            Refusal::Dump(DumpError::OutOfMemory) => LoadError::OutOfMemory,
            Refusal::Value { key, type_code } => LoadError::UnsupportedValue { key, type_code, offset: self.item_at },
        }
    }

    fn run(&mut self) -> Result<(), Refusal> {
        loop {
            self.item_at = self.input.offset();
            match self.input.byte()? {
                END if self.input.is_at_end() => {
                    self.random_state.iter().for_each(|state| self.keyspace.set_random_state(state));
                    return Ok(());
                }
                END => return Err(MALFORMED),
                code => self.step(code)?,
            }
        }
    }

    fn step(&mut self, code: u8) -> Result<(), Refusal> {
        match code {
            AUX => self.read_aux()?,
            SELECT_DB => self.select()?,
            EXPIRE_MS => {
                self.deadline = Some(Timestamp::from_ms(i64::from_le_bytes(self.input.array()?)));
            }
            EXPIRE_SECONDS => {
                let seconds = i64::from(i32::from_le_bytes(self.input.array()?));
                self.deadline = Some(Timestamp::from_ms(seconds * MS_PER_SECOND));
            }
            // Size hints are not used.
            RESIZE_DB => self.skip_lengths(2)?,
            SLOT_INFO => self.skip_lengths(3)?,
            IDLE => self.past_use = Some(PastUse::IdleSeconds(self.input.length()?)),
            FREQUENCY => self.past_use = Some(PastUse::Frequency(self.input.byte()?)),
            FUNCTION_2 => {
                let code = self.input.string()?;
                self.libraries.insert(&code)?;
            }
            MODULE_AUX if self.skipped.is_some() => self.skip_module_aux()?,
            KEY_METADATA if self.skipped.is_some() && self.has_key_metadata => self.skip_key_metadata()?,
            FUNCTION | MODULE_AUX | KEY_METADATA => return Err(DumpError::Unsupported.into()),
            type_byte => self.read_key(type_byte)?,
        }
        Ok(())
    }

    fn skip_lengths(&mut self, count: usize) -> Result<(), DumpError> {
        (0..count).try_for_each(|_| self.input.length().map(drop))
    }

    fn select(&mut self) -> Result<(), DumpError> {
        let database = u8::try_from(self.input.length()?).ok().filter(|&database| database < DATABASES);
        self.database = database.ok_or(DumpError::Unsupported)?;
        Ok(())
    }

    /// Reads an auxiliary field. Unknown fields are ignored.
    fn read_aux(&mut self) -> Result<(), Refusal> {
        let (name, value) = (self.input.string()?, self.input.string()?);
        match &*name {
            AUX_VERSION if parse_integer(&value).ok_or(MALFORMED)? > FORMAT_VERSION => return Err(Refusal::Newer),
            AUX_SEED => self.reseed(&value)?,
            AUX_TOKEN => {
                let token = parse_integer(&value).and_then(|token| u64::try_from(token).ok()).ok_or(MALFORMED)?;
                self.keyspace.skip_tokens_to(token);
            }
            AUX_RANDOM => self.random_state = Some(value.as_ref().try_into().map_err(|_| MALFORMED)?),
            AUX_NOW => self.written_at = Some(Timestamp::from_ms(parse_integer(&value).ok_or(MALFORMED)?)),
            _ => {}
        }
        Ok(())
    }

    /// Sets the seed, which decides the order of keys and so must precede the first key.
    fn reseed(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let seed = core::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        match seed {
            Some(seed) if !self.has_keys => self.keyspace = self.keyspace.for_snapshot(seed),
            _ => return Err(MALFORMED),
        }
        Ok(())
    }

    fn read_key(&mut self, type_byte: u8) -> Result<(), Refusal> {
        let key = self.input.string()?;
        let (deadline, past_use, start) = (self.deadline.take(), self.past_use.take(), self.input.clone());
        let value = match read_value(type_byte, &mut self.input, &self.limits, self.keyspace.seed()) {
            Err(DumpError::Unsupported) => return self.skip_key(&key, type_byte, &start),
            read => read?,
        };
        // Old servers could write empty collections, which are skipped, as in Redis.
        if value.is_emptied() {
            return Ok(());
        }
        self.has_keys = true;
        let is_new = self.keyspace.restore(self.database, &key, value, deadline, past_use)?;
        if is_new { Ok(()) } else { Err(MALFORMED) }
    }
}
