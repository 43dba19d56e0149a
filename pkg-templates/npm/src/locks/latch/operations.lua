-- Operations, and the end of a run: the state is saved, then messages are sent.

local function acquire()
  local wanted = {
    mode = ARGV[3], ttl_ms = tonumber(ARGV[4]), live_ms = tonumber(ARGV[5]), channel = ARGV[6],
    permits = tonumber(ARGV[9]), limit = tonumber(ARGV[10]),
  }
  local delay_ms, steals, own = tonumber(ARGV[7]), ARGV[8] == '1', find(client)
  local live = own and is_live(own) and own or nil
  if steals and mode ~= 'n' and not (live and sum == live.permits) then
    rob_all()
    own, live = nil, nil
  end
  local covers = live and (live.mode == 'x' or live.mode == wanted.mode and wanted.permits <= live.permits)
  local is_next = live or not own and (steals or waiting == 0)
  if covers or is_next and fits(wanted.mode, wanted.permits, wanted.limit, live) then
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
  -- Also in the delay after its lease, which ends by that.
  if held then take(client, held) end
  serve()
  return { (held or was_released(tonumber(ARGV[3]))) and 1 or 0, 0 }
end

local function leave()
  if place_of(client) then drop(client) end
  local held = find(client)
  if held and held.claim == GRANTED then take(client, held) end
  if held and held.claim == UPGRADED then make_shared(held) end
  serve()
  return { 1, 0 }
end

local function done()
  local held = find(client)
  if not held or not is_live(held) or held.mode ~= 'x' or held.token ~= tonumber(ARGV[3]) then
    return { redis.call('GET', KEYS[6]) == ARGV[4] and 1 or 0, 0 }
  end
  redis.call('SET', KEYS[6], ARGV[4], 'PX', ARGV[5])
  take(client, held)
  -- Whatever waits gets the result, and needs no place any more.
  local all = waiting > 0 and redis.call('ZRANGE', KEYS[4], 0, -1) or {}
  for _, who in ipairs(all) do
    local place = place_of(who)
    if place then send(who, place.channel, 0) end
  end
  if waiting > 0 then redis.call('DEL', KEYS[4], KEYS[5]) end
  waiting = 0
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
local operations = { ['acquire'] = acquire, ['renew'] = renew, ['release'] = release, ['leave'] = leave, ['done'] = done }
expire()
serve()
local reply = operations[operation]()
reply[3] = left
if is_changed then save() end
for _, message in ipairs(messages) do redis.pcall('PUBLISH', message[1], message[2]) end
return reply
