-- The state, and the fast path of an exclusive lock.

if operation == 'once' then
  local result = redis.call('GET', KEYS[6])
  if result then return { 3, result } end
  operation = 'acquire'
end

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
