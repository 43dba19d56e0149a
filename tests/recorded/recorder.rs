//! Digests of the observed outputs, and a readable transcript of them.

use keylatch::internals::resp::cli_text::quote;

/// FNV-1a: the recording must not depend on a library's hash function, which may change.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;
/// Length above which texts are broken at their line ends.
const LINE_MAX: usize = 160;

pub fn digest_of(bytes: &[u8]) -> u64 {
    fold(OFFSET, bytes)
}

fn fold(digest: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(digest, |digest, byte| (digest ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// The result of one block.
pub struct Block {
    pub digest: u32,
    pub used_memory: u64,
    pub transcript: String,
}

#[derive(Default)]
pub struct Recorder {
    digest: u64,
    transcript: Option<String>,
    /// The figures last printed: the transcript has those that changed.
    shown: Vec<(&'static str, i64)>,
}

impl Recorder {
    pub fn new(with_transcript: bool) -> Recorder {
        Recorder { digest: OFFSET, transcript: with_transcript.then(String::new), shown: Vec::new() }
    }

    /// Records an output: its name and its bytes.
    pub fn note(&mut self, what: &str, bytes: &[u8]) {
        self.digest = fold(self.digest, what.as_bytes());
        self.digest = fold(self.digest, &(bytes.len() as u64).to_le_bytes());
        self.digest = fold(self.digest, bytes);
        if let Some(transcript) = &mut self.transcript
            && !bytes.is_empty()
        {
            let mut text = bytes.escape_ascii().to_string();
            if text.len() > LINE_MAX {
                text = text.replace("\\r\\n", "\\r\\n\n        ");
            }
            *transcript += &format!("    {what}: {text}\n");
        }
    }

    /// Records a figure that is read repeatedly.
    pub fn figure(&mut self, what: &'static str, figure: i64) {
        self.digest = fold(self.digest, what.as_bytes());
        self.digest = fold(self.digest, &figure.to_le_bytes());
        if self.transcript.is_some() && !self.shown.contains(&(what, figure)) {
            self.shown.retain(|(other, _)| *other != what);
            self.shown.push((what, figure));
            self.show(|| format!("    {what}: {figure}"));
        }
    }

    /// Adds a request to the transcript only: its outputs are recorded anyway.
    pub fn request(&mut self, client: &str, argv: &[Vec<u8>]) {
        self.show(|| {
            let words: Vec<String> = argv.iter().map(|word| quote(word)).collect();
            format!("{client}> {}", words.join(" "))
        });
    }

    /// Adds a line to the transcript, if there is one.
    pub fn show(&mut self, line: impl FnOnce() -> String) {
        if let Some(transcript) = &mut self.transcript {
            *transcript += &line();
            transcript.push('\n');
        }
    }

    pub fn finish(self, used_memory: u64) -> Block {
        let digest = (self.digest ^ (self.digest >> 32)) as u32;
        Block { digest, used_memory, transcript: self.transcript.unwrap_or_default() }
    }
}
