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

local function next_token()
  token = math.max(token + 1, micros)
  if known == 0 then known = token end
  return token
end

local function remember_lost(of)
  lost = (lost == '-' and '' or lost .. ',') .. string.format('%.0f', of)
  local _, count = string.gsub(lost, ',', ',')
  if count < LOST_MAX then return end
  local first, rest = string.match(lost, '^(%d+),(.*)$')
  known, lost = math.max(known, first + 1), rest
end

local function was_released(of)
  return known > 0 and of >= known and of <= token
    and not string.find(',' .. lost .. ',', string.format(',%.0f,', of), 1, true)
end

local function find(who)
  if mode == 'x' then return who == owner and sole or nil end
  local held = (mode == 's' or mode == 'p') and redis.call('HGET', KEYS[2], who)
  return held and (holder_of(held)) or nil
end

local function put(who, held)
  is_changed, until_ms = true, math.max(until_ms, held.ends_ms + held.delay_ms)
  if held.mode == 'x' then
    sole, owner = held, who
  else
    redis.call('HSET', KEYS[2], who, holder_text(held))
    redis.call('ZADD', KEYS[3], held.ends_ms + held.delay_ms, who)
  end
end

local function take(who, held)
  is_changed, sum = true, sum - held.permits
  if mode == 'x' then
    sole, owner = nil, nil
  else
    redis.call('HDEL', KEYS[2], who)
    redis.call('ZREM', KEYS[3], who)
  end
  if sum <= 0 then mode, sum = 'n', 0 end
end

local function admit(who, held)
  mode, sum = held.mode, sum + held.permits
  put(who, held)
end

local function extend(held, ttl_ms)
  if held.ends_ms < now + ttl_ms then held.ends_ms, held.ttl_ms = now + ttl_ms, ttl_ms end
end

local function is_live(held)
  return now <= held.ends_ms
end

-- No lease lasts longer than its length from now on: more comes from a clock that was set back.
local function cut(who, held)
  if held.ends_ms - now <= held.ttl_ms then return end
  held.ends_ms = now + held.ttl_ms
  put(who, held)
end

local function lose(who, held)
  take(who, held)
  if held.claim ~= GRANTED then remember_lost(held.token) end
  local score = waiting > 0 and redis.call('ZSCORE', KEYS[4], who)
  -- An upgrade without its lease waits on by its ticket.
  if score and tonumber(score) < 0 then redis.call('ZADD', KEYS[4], score + AHEAD, who) end
end

local function expire()
  if mode == 'x' then
    cut(owner, sole)
    if now > sole.ends_ms + sole.delay_ms then lose(owner, sole) end
  elseif mode ~= 'n' then
    local all = now < seen_ms and redis.call('HGETALL', KEYS[2]) or {}
    for index = 1, #all, 2 do cut(all[index], (holder_of(all[index + 1]))) end
    local over = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', string.format('(%.0f', now), 'LIMIT', 0, BATCH)
    for _, who in ipairs(over) do lose(who, find(who)) end
    if #over == BATCH then left = 1 end
  end
end

local function first_end_ms()
  if mode == 'x' then return sole.ends_ms + sole.delay_ms end
  return mode ~= 'n' and tonumber(redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]) or now
end

local function is_free(wanted, permits, limit, own)
  if mode == 'n' or own and sum == own.permits then return true end
  if mode ~= wanted or wanted == 'x' then return false end
  return wanted == 's' or sum - (own and own.permits or 0) + permits <= limit
end

local function place_of(who)
  local place = waiting > 0 and redis.call('HGET', KEYS[5], who)
  if not place then return nil end
  local number, ends_ms, since_ms, live_ms, ttl_ms, wanted, permits, limit, channel =
    string.match(place, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%l) (%d+) (%d+) (.*)$')
  return {
    ticket = tonumber(number), ends_ms = tonumber(ends_ms), since_ms = tonumber(since_ms), live_ms = tonumber(live_ms),
    ttl_ms = tonumber(ttl_ms), mode = wanted, permits = tonumber(permits), limit = tonumber(limit), channel = channel,
  }
end

local function write_place(who, place)
  redis.call('HSET', KEYS[5], who, string.format('%.0f %.0f %.0f %.0f %.0f %s %.0f %.0f %s', place.ticket, place.ends_ms,
    place.since_ms, place.live_ms, place.ttl_ms, place.mode, place.permits, place.limit, place.channel))
  is_changed, until_ms = true, math.max(until_ms, place.ends_ms)
end

local function drop(who)
  is_changed, waiting = true, waiting - redis.call('ZREM', KEYS[4], who)
  redis.call('HDEL', KEYS[5], who)
end

local function send(who, channel, look_ms)
  if channel ~= '-' and who ~= client then messages[#messages + 1] = { channel, string.format('%.0f %s', look_ms, who) } end
end

-- A grant that its owner does not know of yet.
local function hand_over(who, place, own)
  drop(who)
  local held = own or { token = next_token(), ends_ms = 0, ttl_ms = 0, delay_ms = 0 }
  if own then take(who, own) end
  held.claim, held.mode, held.permits, held.channel = own and UPGRADED or GRANTED, place.mode, place.permits, place.channel
  extend(held, math.min(place.ttl_ms, place.ends_ms - now))
  admit(who, held)
  send(who, place.channel, 0)
end

-- Grants to the line while its head fits. Dead heads leave it.
local function serve()
  local moved = 0
  while waiting > 0 do
    local who = redis.call('ZRANGE', KEYS[4], 0, 0)[1]
    local place = place_of(who)
    if place and place.ends_ms - now > place.live_ms then
      place.ends_ms = now + place.live_ms
      write_place(who, place)
    end
    if not place or now > place.ends_ms then
      if moved >= BATCH then left = 1 return end
      drop(who)
    else
      local own = find(who)
      if own and not is_live(own) or not is_free(place.mode, place.permits, place.limit, own) then
        if moved > 0 then send(who, place.channel, math.max(1, math.min(place.live_ms / 3, first_end_ms() + 1 - now))) end
        return
      end
      hand_over(who, place, own)
    end
    moved = moved + 1
  end
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

local function rob(who, held)
  send(who, held.channel, held.claim == GRANTED and 0 or -1)
  lose(who, held)
end

local function rob_all()
  if mode == 'x' then return rob(owner, sole) end
  local all = redis.call('HGETALL', KEYS[2])
  for index = 1, #all, 2 do rob(all[index], (holder_of(all[index + 1]))) end
end

local function is_deadlock()
  local head = waiting > 0 and redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES') or {}
  if not head[1] or head[1] == client or tonumber(head[2]) >= 0 then return false end
  local other = find(head[1])
  return other and is_live(other)
end

local function look_ms(place)
  local wait_ms, rank = place.live_ms / 3, redis.call('ZRANK', KEYS[4], client)
  if rank == 0 then wait_ms = math.min(wait_ms, math.max(1, first_end_ms() + 1 - now)) end
  if place.channel == '-' then wait_ms = math.min(wait_ms, (rank + 1) * STEP_MS) end
  return math.ceil(wait_ms)
end

local function enter(own, wanted)
  if own and is_deadlock() then return redis.error_reply('DEADLOCK another holder waits for this owner to release') end
  local place = place_of(client)
  if not place then
    ticket = ticket + 1
    place = { ticket = ticket, since_ms = now }
  end
  for name, value in pairs(wanted) do place[name] = value end
  place.ends_ms = now + place.live_ms
  write_place(client, place)
  waiting = waiting + redis.call('ZADD', KEYS[4], own and place.ticket - AHEAD or place.ticket, client)
  return { 0, look_ms(place) }
end

local function acquire()
  local wanted = {
    mode = ARGV[3], ttl_ms = tonumber(ARGV[4]), live_ms = tonumber(ARGV[5]), channel = ARGV[6],
    permits = tonumber(ARGV[9]), limit = tonumber(ARGV[10]),
  }
  local delay_ms, steals, own = tonumber(ARGV[7]), ARGV[8] == '1', find(client)
  if steals and mode ~= 'n' and not (own and sum == own.permits) then
    rob_all()
    own = nil
  end
  local live = own and is_live(own) and own or nil
  local covers = live and (live.mode == 'x' or live.mode == wanted.mode and wanted.permits <= live.permits)
  local is_next = live or not own and (steals or waiting == 0)
  if covers or is_next and is_free(wanted.mode, wanted.permits, wanted.limit, live) then
    local held = live or { ends_ms = 0, ttl_ms = 0, delay_ms = 0 }
    if live then take(client, live) end
    if not covers then held.mode, held.permits = wanted.mode, wanted.permits end
    if not covers or live.claim == UPGRADED then held.token = next_token() end
    held.claim, held.channel, held.delay_ms = CLAIMED, wanted.channel, math.max(held.delay_ms, delay_ms)
    extend(held, wanted.ttl_ms)
    admit(client, held)
    if place_of(client) then drop(client) end
    return { 1, held.token }
  end
  if wanted.live_ms > 0 then return enter(live, wanted) end
  if place_of(client) then
    drop(client)
    serve()
  end
  return { 0, 0 }
end

local function make_shared(held)
  take(client, held)
  held.mode, held.permits, held.claim = 's', 1, CLAIMED
  admit(client, held)
end

local function renew()
  local held = find(client)
  if not held or not is_live(held) or held.claim == GRANTED then return { 0, 0 } end
  extend(held, tonumber(ARGV[3]))
  if ARGV[4] == '1' then
    make_shared(held)
    if place_of(client) then drop(client) end
    serve()
  else
    put(client, held)
  end
  return { 1, held.ends_ms - now }
end

local function release()
  if place_of(client) then drop(client) end
  local held = find(client)
  local is_held = held and (is_live(held) or held.claim == GRANTED)
  if is_held then take(client, held) end
  serve()
  return { (is_held or not held and was_released(tonumber(ARGV[3]))) and 1 or 0, 0 }
end

local function leave()
  if place_of(client) then drop(client) end
  local held = find(client)
  if held and held.claim == GRANTED then take(client, held) end
  if held and held.claim == UPGRADED then make_shared(held) end
  serve()
  return { 1, 0 }
end

local function check()
  local held = find(client)
  local is_held = held and is_live(held) and held.claim ~= GRANTED and held.token == tonumber(ARGV[3])
  return { is_held and 1 or 0, 0, 0 }
end

local function inspect()
  local all, holders, waiters = {}, {}, {}
  if mode == 'x' then all = { owner, holder_text(sole) } end
  if mode == 's' or mode == 'p' then all = redis.call('HGETALL', KEYS[2]) end
  for index = 1, #all, 2 do
    local held = holder_of(all[index + 1])
    if now <= held.ends_ms + held.delay_ms then
      local left_ms = math.max(0, math.min(held.ends_ms - now, held.ttl_ms))
      holders[#holders + 1] = { all[index], held.mode, held.permits, held.token, left_ms }
    end
  end
  for _, who in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
    local place = place_of(who)
    if place and now <= place.ends_ms then
      waiters[#waiters + 1] = { who, place.mode, math.max(0, now - place.since_ms) }
    end
  end
  return { holders, waiters }
end

if operation == 'check' then return check() end
if operation == 'inspect' then return inspect() end

-- A server that is short of memory refuses a script whose first write may grow, and no others.
if text and operation ~= 'acquire' then redis.call('PEXPIRE', KEYS[1], state_length()) end
local operations = { ['acquire'] = acquire, ['renew'] = renew, ['release'] = release, ['leave'] = leave }
expire()
serve()
local reply = operations[operation]()
reply[3] = left
if is_changed then save() end
for _, message in ipairs(messages) do redis.pcall('PUBLISH', message[1], message[2]) end
return reply
