-- The state, and the fast path of an exclusive lock.

if operation == 'once' then
  local result = redis.call('GET', KEYS[6])
  if result then return { 3, result } end
  operation = 'acquire'
end

-- Names of one request take turns in the variables below: KEYS[at + 1] is the state of the name whose turn it is.
local names = operation == 'run' and tonumber(ARGV[4]) or math.max(1, math.floor(#KEYS / KEYS_OF_NAME))
local at, kept = 0, {}
-- `mode` is the strongest one of the holders, and `strong` the part of `sum` that is held in it. `known` is the first token
-- whose end is remembered: as one of the lost ones, or else as released.
local text, token, seen_ms, until_ms, ticket, waiting, mode, sum, strong, known, lost, is_changed
-- The exclusive holder.
local sole, owner
local left, moved, is_freed, messages = 0, 0, false, {}

local function holder_of(text)
  local of, ends_ms, ttl_ms, delay_ms, claim, permits, kind, channel, name =
    string.match(text, '^(%d+) (%d+) (%d+) (%d+) (%d) (%d+) (%l+) (%S+) ?(.*)$')
  return {
    token = tonumber(of), ends_ms = tonumber(ends_ms), ttl_ms = tonumber(ttl_ms), delay_ms = tonumber(delay_ms),
    claim = claim, permits = tonumber(permits), mode = kind, channel = channel,
  }, name
end

local function holder_text(held)
  return string.format('%.0f %.0f %.0f %.0f %s %.0f %s %s', held.token, held.ends_ms, held.ttl_ms, held.delay_ms,
    held.claim, held.permits, held.mode, held.channel)
end

local function load()
  token, seen_ms, until_ms, ticket, waiting, mode, sum, strong, known, lost = 0, now, now, 0, 0, 'n', 0, 0, 0, '-'
  sole, owner, is_changed = nil, nil, false
  text = redis.call('GET', KEYS[at + 1])
  if not text then return end
  local fields = { string.match(text, '^1 (%d+) (%d+) (%d+) (%d+) (%d+) (%l+) (%d+) (%d+) (%d+) (%S+) (.*)$') }
  if not fields[1] then return redis.error_reply('LAYOUT the key has no lock of this version of keylatch') end
  token, seen_ms, until_ms = tonumber(fields[1]), tonumber(fields[2]), tonumber(fields[3])
  ticket, waiting, mode, sum = tonumber(fields[4]), tonumber(fields[5]), fields[6], tonumber(fields[7])
  strong, known, lost = tonumber(fields[8]), tonumber(fields[9]), fields[10]
  if mode == 'x' then sole, owner = holder_of(fields[11]) end
end

local function turn(index)
  kept[at] = {
    text, token, seen_ms, until_ms, ticket, waiting, mode, sum, strong, known, lost, is_changed, sole, owner,
  }
  at = index * KEYS_OF_NAME
  if not kept[at] then return load() end
  text, token, seen_ms, until_ms, ticket, waiting, mode, sum, strong, known, lost, is_changed, sole, owner =
    unpack(kept[at], 1, 14)
end

local function next_token(last)
  token = math.max(last + 1, micros)
  if known == 0 then known = token end
  return token
end

local function state_length()
  return string.format('%.0f', math.max(until_ms - now, 0) + HOUR_MS)
end

local function save()
  local length = state_length()
  redis.call('SET', KEYS[at + 1], string.format('1 %.0f %.0f %.0f %.0f %.0f %s %.0f %.0f %.0f %s %s', token, now, until_ms,
    ticket, waiting, mode, sum, strong, known, lost, sole and holder_text(sole) .. ' ' .. owner or ''), 'PX', length)
  if mode ~= 'n' and mode ~= 'x' then
    redis.call('PEXPIRE', KEYS[at + 2], length)
    redis.call('PEXPIRE', KEYS[at + 3], length)
  end
  if waiting > 0 then
    redis.call('PEXPIRE', KEYS[at + 4], length)
    redis.call('PEXPIRE', KEYS[at + 5], length)
  end
end

local refusal = load()
if refusal then return refusal end

-- Functions are made anew by each run: those below are left out for an exclusive lock without a line.
local is_free = mode == 'n'
local is_own = mode == 'x' and owner == client and now <= sole.ends_ms and sole.ends_ms - now <= sole.ttl_ms
if text and waiting == 0 and names == 1 then
  if is_free and operation == 'acquire' and ARGV[3] == 'x' then
    sole = {
      token = next_token(token), ends_ms = now + ARGV[4], ttl_ms = ARGV[4], delay_ms = ARGV[7], claim = CLAIMED, permits = 1,
      mode = 'x', channel = ARGV[6],
    }
    owner, mode, sum, strong, until_ms = client, 'x', 1, 1, math.max(until_ms, sole.ends_ms + sole.delay_ms)
    save()
    return { 1, token, 0 }
  end
  if is_own and operation == 'release' then
    redis.call('PEXPIRE', KEYS[at + 1], state_length())
    sole, mode, sum, strong = nil, 'n', 0, 0
    save()
    return { 1, 0, 0 }
  end
end

local needs_all = not text or mode ~= 'n' and mode ~= 'x' or waiting > 0 or operation == 'inspect'
if operation == 'acquire' then
  needs_all = needs_all or ARGV[3] ~= 'x' or ARGV[5] ~= '0' and mode == 'x' and owner ~= client
end

local function count(held)
  if mode == 'n' or mode == 'is' and held.mode ~= 'is' then mode, strong = held.mode, 0 end
  if mode == held.mode then strong = strong + held.permits end
  sum = sum + held.permits
end

local function load_others()
  -- Keys of other types end the script here, before anything has changed.
  local holders, ends = redis.call('HLEN', KEYS[at + 2]), redis.call('ZCARD', KEYS[at + 3])
  redis.call('HLEN', KEYS[at + 5])
  waiting = redis.call('ZCARD', KEYS[at + 4])
  -- If a key was deleted or evicted, the others may have survived it.
  if waiting > 0 and not text then
    ticket = math.max(0, tonumber(redis.call('ZRANGE', KEYS[at + 4], -1, -1, 'WITHSCORES')[2]))
  end
  if mode ~= 'x' and (holders ~= ends or (holders > 0) == (mode == 'n')) then
    local all = redis.call('HGETALL', KEYS[at + 2])
    redis.call('DEL', KEYS[at + 3])
    mode, sum, strong, is_changed = 'n', 0, 0, true
    for index = 1, #all, 2 do
      local held = holder_of(all[index + 1])
      redis.call('ZADD', KEYS[at + 3], held.ends_ms + held.delay_ms, all[index])
      count(held)
      token, until_ms = math.max(token, held.token), math.max(until_ms, held.ends_ms + held.delay_ms)
    end
  end
end

if needs_all then
  if #KEYS < KEYS_OF_NAME then return { 2 } end
  load_others()
  for index = 1, names - 1 do
    refusal = turn(index)
    if refusal then return refusal end
    load_others()
  end
end

-- Runs a function in the turn of each name.
local function each(run)
  for index = 0, names - 1 do
    if names > 1 then turn(index) end
    run(index)
  end
end

-- Whether a function is true in the turn of each name. Runs it in all of them.
local function every(is_true)
  local all = true
  each(function(index) all = is_true(index) and all end)
  return all
end
