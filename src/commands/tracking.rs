//! Client-side caching: CLIENT TRACKING, CACHING, GETREDIR and TRACKINGINFO.

use alloc::vec::Vec;

use super::table::args::{Args, is};
use super::{Context, Reply};
use crate::keyspace::{TrackedReads, Tracker, TrackingOptions};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::ClientId;

pub(super) const ARGUMENTS: &str =
    "<status=ON | OFF> [REDIRECT client-id:integer] [PREFIX... prefix...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]";

/// Options of CLIENT TRACKING as parsed, before they are validated together.
#[derive(Default)]
struct ParsedOptions<'a> {
    redirect: Option<ClientId>,
    broadcast: bool,
    opt_in: bool,
    opt_out: bool,
    noloop: bool,
    prefixes: Vec<&'a [u8]>,
}

/// `CLIENT TRACKING ON | OFF [REDIRECT id] [PREFIX prefix ...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`
pub(super) fn tracking(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let status = args.bytes()?;
    let parsed = parse_options(cx, args)?;
    let tracking = &mut cx.keyspace.interest.tracking;
    if is(status, "ON") {
        let options = validate(args, parsed, tracking.tracker(cx.client))?;
        tracking.start(cx.client, &options);
    } else if is(status, "OFF") {
        tracking.stop(cx.client);
    } else {
        return Err(CommandError::SYNTAX);
    }
    cx.reply.ok();
    Ok(())
}

fn parse_options<'a>(cx: &Context<'_>, args: &mut Args<'a>) -> Result<ParsedOptions<'a>, CommandError> {
    let mut parsed = ParsedOptions::default();
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "REDIRECT") && parsed.redirect.is_some() && !args.is_done() => {
                return Err(CommandError::TWO_REDIRECTS);
            }
            _ if is(word, "REDIRECT") && !args.is_done() => {
                parsed.redirect = Some(connected_client(cx, args.integer()?)?)
            }
            _ if is(word, "PREFIX") && !args.is_done() => parsed.prefixes.push(args.bytes()?),
            _ if is(word, "BCAST") => parsed.broadcast = true,
            _ if is(word, "OPTIN") => parsed.opt_in = true,
            _ if is(word, "OPTOUT") => parsed.opt_out = true,
            _ if is(word, "NOLOOP") => parsed.noloop = true,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    Ok(parsed)
}

fn connected_client(cx: &Context<'_>, id: i64) -> Result<ClientId, CommandError> {
    let id = u32::try_from(id).ok().map(ClientId);
    id.filter(|id| cx.clients.get(*id).is_some_and(|client| !client.closing)).ok_or(CommandError::NO_REDIRECT)
}

/// Checks the options against each other and against the client's present tracking mode.
fn validate<'a>(
    args: &Args<'_>,
    parsed: ParsedOptions<'a>,
    tracker: Option<&Tracker>,
) -> Result<TrackingOptions<'a>, CommandError> {
    if !parsed.broadcast && !parsed.prefixes.is_empty() {
        return Err(CommandError::PREFIX_NEEDS_BROADCAST);
    }
    if tracker.is_some_and(|tracker| tracker.broadcast != parsed.broadcast) {
        return Err(CommandError::BROADCAST_SWITCH);
    }
    if parsed.broadcast && (parsed.opt_in || parsed.opt_out) {
        return Err(CommandError::BROADCAST_CHOICE);
    }
    let reads = match (parsed.opt_in, parsed.opt_out) {
        (true, true) => return Err(CommandError::TWO_CHOICES),
        (true, false) => TrackedReads::OptIn,
        (false, true) => TrackedReads::OptOut,
        (false, false) => TrackedReads::All,
    };
    let current = tracker.map_or(TrackedReads::All, |tracker| tracker.reads);
    if reads != current && reads != TrackedReads::All && current != TrackedReads::All {
        return Err(CommandError::CHOICE_SWITCH);
    }
    check_overlaps(&parsed.prefixes, tracker).map_err(|text| args.refuse(text))?;
    let ParsedOptions { redirect, broadcast, noloop, prefixes, .. } = parsed;
    Ok(TrackingOptions { redirect, broadcast, reads, noloop, prefixes })
}

fn check_overlaps(prefixes: &[&[u8]], tracker: Option<&Tracker>) -> Result<(), ErrorText> {
    for (index, prefix) in prefixes.iter().enumerate() {
        let mut existing = tracker.into_iter().flat_map(|tracker| &tracker.prefixes);
        if let Some(other) = existing.find(|other| overlap(prefix, other)) {
            return Err(ErrorText::overlapping_prefixes(prefix, "an existing", other));
        }
        if let Some(other) = prefixes.iter().skip(index + 1).find(|other| overlap(prefix, other)) {
            return Err(ErrorText::overlapping_prefixes(prefix, "another provided", other));
        }
    }
    Ok(())
}

fn overlap(one: &[u8], other: &[u8]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// `CLIENT CACHING YES | NO`
pub(super) fn caching(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let tracking = &mut cx.keyspace.interest.tracking;
    let reads = tracking.tracker(cx.client).ok_or(CommandError::CACHING_WITHOUT_TRACKING)?.reads;
    let word = args.bytes()?;
    match reads {
        TrackedReads::OptIn if is(word, "YES") => {}
        TrackedReads::OptOut if is(word, "NO") => {}
        _ if is(word, "YES") => return Err(CommandError::CACHING_WITHOUT_OPT_IN),
        _ if is(word, "NO") => return Err(CommandError::CACHING_WITHOUT_OPT_OUT),
        _ => return Err(CommandError::SYNTAX),
    }
    tracking.set_caching(cx.client, true);
    cx.reply.ok();
    Ok(())
}

/// Returns the ID of the client that receives invalidations, in the format of CLIENT GETREDIR: 0 without redirection,
/// -1 without tracking.
pub(super) fn redirect_of(tracker: Option<&Tracker>) -> i64 {
    tracker.map_or(-1, |tracker| tracker.redirect.map_or(0, |other| other.0.into()))
}

pub(super) fn getredir(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let redirect = redirect_of(cx.keyspace.interest.tracking.tracker(cx.client));
    cx.reply.integer(redirect);
    Ok(())
}

pub(super) fn trackinginfo(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let tracker = cx.keyspace.interest.tracking.tracker(cx.client);
    let flags = flags(tracker);
    cx.reply.map(3);
    cx.reply.bulk(b"flags");
    cx.reply.set(flags.len());
    flags.iter().for_each(|flag| cx.reply.bulk(flag.as_bytes()));
    cx.reply.bulk(b"redirect");
    cx.reply.integer(redirect_of(tracker));
    cx.reply.bulk(b"prefixes");
    let prefixes = tracker.map(|tracker| tracker.prefixes.as_slice()).unwrap_or_default();
    cx.reply.array(prefixes.len());
    prefixes.iter().for_each(|prefix| cx.reply.bulk(prefix));
    Ok(())
}

fn flags(tracker: Option<&Tracker>) -> Vec<&'static str> {
    let Some(tracker) = tracker else { return alloc::vec!["off"] };
    let (opt_in, opt_out) = (tracker.reads == TrackedReads::OptIn, tracker.reads == TrackedReads::OptOut);
    let flags = [
        (true, "on"),
        (tracker.broadcast, "bcast"),
        (opt_in, "optin"),
        (opt_in && tracker.caching, "caching-yes"),
        (opt_out, "optout"),
        (opt_out && tracker.caching, "caching-no"),
        (tracker.noloop, "noloop"),
        (tracker.is_redirect_broken, "broken_redirect"),
    ];
    flags.into_iter().filter(|(holds, _)| *holds).map(|(_, name)| name).collect()
}
