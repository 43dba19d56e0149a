-- Locks on any Redis or Valkey: exclusive, shared and permits, with leases, fencing tokens and a line in order of arrival.
--
-- KEYS     1 state  2 holders: hash  3 ends of their leases: sorted set  4 line: sorted set by ticket  5 waiters: hash
--          An exclusive lock without a line needs the state alone. With one key, the reply says if all are needed.
-- ARGV     operation, owner, and what the operation takes
-- Replies  {0 or 1, value, 1 if dead waiters are left: run "leave" until 0}, or {2}: run again with all keys
--
-- acquire  mode (x, s, p), ttl, liveness (0: no wait), channel or -, delay, 1 to steal, permits, their limit:
--          {1, token} or {0, milliseconds until the next look}
-- renew    ttl, 1 to go on as shared: {1, milliseconds left} or {0, 0}
-- release  token or 0: {1, 0} also if this token was released before
-- leave    gives up a place in line and a grant that was not claimed, and serves the line
-- check    token
-- inspect  {{owner, mode, permits, token, milliseconds left}...}, {{owner, mode, milliseconds waited}...}
--
-- A waiter's place is a lease that each look renews. A script that frees something grants it to the head of the line. Such a
-- grant lasts as long as the place would have, unless its owner claims it by asking again. A message says in how many
-- milliseconds to look again, or -1 for a lease that was stolen. Nothing depends on its arrival.

-- Redis 6.2 may need this for writes after TIME.
redis.replicate_commands()

local HOUR_MS = 3600000
-- Dead waiters and ended leases that one run removes.
local BATCH = 64
local LOST_MAX = 16
-- Lowers the tickets of upgrades, which go before all others.
local AHEAD = 1125899906842624
-- Without messages, a waiter looks again after this time for each place.
local STEP_MS = 64
local GRANTED, CLAIMED, UPGRADED = '0', '1', '2'

local operation, client = ARGV[1], ARGV[2]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

-- `known` is the first token whose end is remembered: as one of the lost ones, or else as released.
local token, seen_ms, until_ms, ticket, waiting, mode, sum, known, lost = 0, now, now, 0, 0, 'n', 0, 0, '-'
-- The exclusive holder.
local sole, owner
local is_changed, left, messages = false, 0, {}

local function holder_of(text)
  local of, ends_ms, ttl_ms, delay_ms, claim, permits, kind, channel, name =
    string.match(text, '^(%d+) (%d+) (%d+) (%d+) (%d) (%d+) (%l) (%S+) ?(.*)$')
  return {
    token = tonumber(of), ends_ms = tonumber(ends_ms), ttl_ms = tonumber(ttl_ms), delay_ms = tonumber(delay_ms),
    claim = claim, permits = tonumber(permits), mode = kind, channel = channel,
  }, name
end

local function holder_text(held)
  return string.format('%.0f %.0f %.0f %.0f %s %.0f %s %s', held.token, held.ends_ms, held.ttl_ms, held.delay_ms,
    held.claim, held.permits, held.mode, held.channel)
end

local text = redis.call('GET', KEYS[1])
if text then
  local fields = { string.match(text, '^1 (%d+) (%d+) (%d+) (%d+) (%d+) (%l) (%d+) (%d+) (%S+) (.*)$') }
  if not fields[1] then return redis.error_reply('LAYOUT the key has no lock of this version of keylatch') end
  token, seen_ms, until_ms = tonumber(fields[1]), tonumber(fields[2]), tonumber(fields[3])
  ticket, waiting, mode, sum = tonumber(fields[4]), tonumber(fields[5]), fields[6], tonumber(fields[7])
  known, lost = tonumber(fields[8]), fields[9]
  if mode == 'x' then sole, owner = holder_of(fields[10]) end
end

local function next_token()
  token = math.max(token + 1, micros)
  if known == 0 then known = token end
  return token
end

local function state_length()
  return string.format('%.0f', math.max(until_ms - now, 0) + HOUR_MS)
end

local function save()
  local length = state_length()
  redis.call('SET', KEYS[1], string.format('1 %.0f %.0f %.0f %.0f %.0f %s %.0f %.0f %s %s', token, now, until_ms, ticket,
    waiting, mode, sum, known, lost, sole and holder_text(sole) .. ' ' .. owner or ''), 'PX', length)
  if mode == 's' or mode == 'p' then
    redis.call('PEXPIRE', KEYS[2], length)
    redis.call('PEXPIRE', KEYS[3], length)
  end
  if waiting > 0 then
    redis.call('PEXPIRE', KEYS[4], length)
    redis.call('PEXPIRE', KEYS[5], length)
  end
end

-- Functions are made anew by each run: those below are left out for an exclusive lock without a line.
local is_free = mode == 'n'
local is_own = mode == 'x' and owner == client and now <= sole.ends_ms and sole.ends_ms - now <= sole.ttl_ms
if text and waiting == 0 then
  if is_free and operation == 'acquire' and ARGV[3] == 'x' then
    sole = {
      token = next_token(), ends_ms = now + ARGV[4], ttl_ms = ARGV[4], delay_ms = ARGV[7], claim = CLAIMED, permits = 1,
      mode = 'x', channel = ARGV[6],
    }
    owner, mode, sum, until_ms = client, 'x', 1, math.max(until_ms, sole.ends_ms + sole.delay_ms)
    save()
    return { 1, token, 0 }
  end
  if is_own and operation == 'release' then
    redis.call('PEXPIRE', KEYS[1], state_length())
    sole, mode, sum = nil, 'n', 0
    save()
    return { 1, 0, 0 }
  end
end

local needs_all = not text or mode == 's' or mode == 'p' or waiting > 0 or operation == 'inspect'
if operation == 'acquire' then
  needs_all = needs_all or ARGV[3] ~= 'x' or ARGV[5] ~= '0' and mode == 'x' and owner ~= client
end
if needs_all then
  if #KEYS < 5 then return { 2 } end
  -- Keys of other types end the script here, before anything has changed.
  local holders, ends = redis.call('HLEN', KEYS[2]), redis.call('ZCARD', KEYS[3])
  redis.call('HLEN', KEYS[5])
  waiting = redis.call('ZCARD', KEYS[4])
  -- If a key was deleted or evicted, the others may have survived it.
  if waiting > 0 and not text then
    ticket = math.max(0, tonumber(redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2]))
  end
  if mode ~= 'x' and (holders ~= ends or (holders > 0) == (mode == 'n')) then
    local all = redis.call('HGETALL', KEYS[2])
    redis.call('DEL', KEYS[3])
    mode, sum, is_changed = 'n', 0, true
    for index = 1, #all, 2 do
      local held = holder_of(all[index + 1])
      redis.call('ZADD', KEYS[3], held.ends_ms + held.delay_ms, all[index])
      mode, sum, token = held.mode, sum + held.permits, math.max(token, held.token)
      until_ms = math.max(until_ms, held.ends_ms + held.delay_ms)
    end
  end
end
