//! A real redis-server in a process and a folder of its own, on a free port of the loopback, stopped when it is dropped.

use std::io::{Read, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use keylatch::Argv;
use keylatch::internals::resp::read::read;

/// File name of the server's snapshot.
const SNAPSHOT: &str = "dump.rdb";
const STARTUP_MAX: Duration = Duration::from_secs(20);

/// The server of REDIS_SERVER or of PATH.
pub fn program() -> Option<PathBuf> {
    let named = std::env::var_os("REDIS_SERVER").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join("redis-server"));
    named.into_iter().chain(found).find(|path| path.is_file())
}

/// A folder for one server, removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("server-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Writes a log as the server's append-only file.
    pub fn write_log(&self, log: &[u8]) {
        let logs = self.0.join("appendonlydir");
        std::fs::create_dir_all(&logs).unwrap();
        std::fs::write(logs.join("appendonly.aof.1.incr.aof"), log).unwrap();
        std::fs::write(logs.join("appendonly.aof.manifest"), "file appendonly.aof.1.incr.aof seq 1 type i\n").unwrap();
    }

    /// Writes a snapshot as the server's dump file.
    pub fn write_snapshot(&self, snapshot: &[u8]) {
        std::fs::write(self.0.join(SNAPSHOT), snapshot).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub struct Server {
    process: Child,
    pub stream: TcpStream,
    pub folder: Folder,
}

impl Server {
    pub fn start(program: &Path, folder: Folder, options: &[&str]) -> Server {
        let deadline = Instant::now() + STARTUP_MAX;
        loop {
            // A port that was free a moment ago may be taken by now: then the next one is tried.
            let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let mut process = spawn(program, &folder, address.port(), options);
            match wait_until_ready(&mut process, address, deadline) {
                Ok(stream) => return Server { process, stream, folder },
                Err(failure) if failure.contains("Address already in use") => {}
                Err(failure) => panic!("the server did not start: {failure}"),
            }
        }
    }

    pub fn run(&mut self, arguments: &[impl AsRef<[u8]>]) -> Vec<u8> {
        ask(&self.stream, arguments).unwrap()
    }

    /// The snapshot that the server saves.
    pub fn saved(&mut self) -> Vec<u8> {
        assert_eq!(self.run_line("SAVE"), "+OK\r\n");
        std::fs::read(self.folder.0.join(SNAPSHOT)).unwrap()
    }

    /// Runs a line, split at blanks; returns the reply as text.
    pub fn run_line(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        String::from_utf8_lossy(&self.run(&words)).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(program: &Path, folder: &Folder, port: u16, options: &[&str]) -> Child {
    Command::new(program)
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendfsync", "no"])
        .args(options)
        .current_dir(&folder.0)
        // SORT ALPHA uses the locale of the machine.
        .env("LC_ALL", "C")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Connects to `process` once it has loaded its data; the error has the output of the process.
fn wait_until_ready(
    process: &mut Child,
    address: SocketAddr,
    deadline: Instant,
) -> std::result::Result<TcpStream, String> {
    loop {
        let refusal = match TcpStream::connect(address) {
            Ok(stream) if is_ready(&stream, process.id()) => {
                stream.set_nodelay(true).unwrap();
                return Ok(stream);
            }
            Ok(_) => "still loading, or another server".to_owned(),
            Err(error) => error.to_string(),
        };
        if process.try_wait().unwrap().is_some() || Instant::now() > deadline {
            let _ = process.kill();
            let mut output = String::new();
            process.stdout.take().unwrap().read_to_string(&mut output).unwrap();
            let _ = process.wait();
            return Err(format!("{refusal}\n{output}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// True when the server has loaded its data and is the one of this process: a port can change hands between two servers.
fn is_ready(stream: &TcpStream, process_id: u32) -> bool {
    let lines = [format!("\r\nprocess_id:{process_id}\r\n"), "\r\nloading:0\r\n".to_owned()];
    ask(stream, &["INFO"]).is_ok_and(|reply| {
        let info = String::from_utf8_lossy(&reply);
        lines.iter().all(|line| info.contains(line))
    })
}

/// RESP of a request.
pub fn request(arguments: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let argv = Argv::from_slices(arguments);
    let mut request = format!("*{}\r\n", argv.len()).into_bytes();
    for argument in argv.as_ref().iter() {
        request.extend(format!("${}\r\n", argument.len()).into_bytes());
        request.extend_from_slice(argument);
        request.extend_from_slice(b"\r\n");
    }
    request
}

/// Sends one request and reads one reply.
fn ask(mut stream: &TcpStream, arguments: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
    stream.write_all(&request(arguments))?;
    let (mut reply, mut buffer) = (Vec::new(), [0; 65536]);
    while read(&reply).unwrap().is_none() {
        let received = stream.read(&mut buffer)?;
        if received == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        reply.extend_from_slice(&buffer[..received]);
    }
    Ok(reply)
}
