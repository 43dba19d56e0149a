//! Passwords among the arguments of commands, which SLOWLOG and MONITOR redact.

use crate::base::argv::ArgvRef;

/// Replacement for passwords in SLOWLOG and MONITOR.
pub const REDACTED: &str = "(redacted)";

const PARAMETERS: [&str; 2] = ["requirepass", "masterauth"];

/// Arguments of a command that are passwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Secrets {
    None,
    /// All arguments.
    All,
    /// Two arguments after the option AUTH, in `protocol [AUTH user password] [SETNAME name]` in any order.
    Login,
    /// Values of parameters that are passwords, in pairs from the third word on.
    Parameters,
}

impl Secrets {
    /// Whether an argument is a password.
    pub fn include(self, argv: ArgvRef<'_>, index: usize) -> bool {
        let is = |at: usize, word: &str| argv.get(at).is_some_and(|arg| arg.eq_ignore_ascii_case(word.as_bytes()));
        match self {
            Secrets::None => false,
            Secrets::All => index > 0,
            Secrets::Login => {
                let auth_at = if is(2, "setname") { 4 } else { 2 };
                is(auth_at, "auth") && (auth_at + 1..=auth_at + 2).contains(&index)
            }
            Secrets::Parameters => index >= 3 && index % 2 == 1 && PARAMETERS.iter().any(|name| is(index - 1, name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::base::argv::Argv;

    #[test]
    fn passwords_are_found_among_the_arguments() {
        for (secrets, line, expected) in [
            (Secrets::All, "AUTH secret", &[1][..]),
            (Secrets::All, "auth user secret", &[1, 2]),
            (Secrets::Login, "HELLO 3 AUTH user secret", &[3, 4]),
            (Secrets::Login, "hello 2 setname auth auth user secret", &[5, 6]),
            (Secrets::Login, "HELLO 3 SETNAME auth", &[]),
            (Secrets::Parameters, "CONFIG SET maxmemory 0 requirepass secret", &[5]),
            (Secrets::Parameters, "CONFIG SET maxmemory requirepass", &[]),
            (Secrets::None, "SET requirepass auth", &[]),
        ] {
            let argv = Argv::from_slices(&line.split(' ').collect::<Vec<_>>());
            let argv = argv.as_ref();
            let found: Vec<usize> = (0..argv.len()).filter(|index| secrets.include(argv, *index)).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
