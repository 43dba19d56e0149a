-- Operations, and the end of a run: the state is saved, then messages are sent.

-- How a request for a lease stands at one name. Those above the names are wanted as an intention.
local function judge(index)
  local demanded, permits, is_above, steals = ARGV[3], tonumber(ARGV[9]), index >= names - (ARGV[11] or 0), ARGV[8] == '1'
  if is_above then demanded = demanded == 's' and 'is' or 'ix' end
  local own = find(client)
  local live = own and is_live(own) and own or nil
  local kind = live and joined(live.mode, demanded) or demanded
  local is_admitted = (live or not own) and fits(kind, permits, tonumber(ARGV[10]), live)
  local is_stolen = steals and mode ~= 'n' and not (live and sum == live.permits) and not (is_above and is_admitted)
  if is_stolen then kind = demanded end
  if kind ~= 'p' then permits = 1 end
  local covers = live and not is_stolen and kind == live.mode and permits <= live.permits
  local is_next = live or not own and (waiting == 0 or redis.call('ZRANGE', KEYS[at + 4], 0, 0)[1] == client)
  return {
    live = live, mode = kind, permits = permits, is_admitted = is_admitted, is_stolen = is_stolen, covers = covers,
    is_free = covers or steals or is_admitted and is_next,
  }
end

-- Several names are granted together, with one token that is greater than those of each.
local function grant(all)
  local last, first = 0, nil
  local is_same = every(function(index)
    last = math.max(last, token)
    return all[index].covers and all[index].live.claim ~= UPGRADED
  end)
  each(function(index)
    local wanted = all[index]
    local held = wanted.live
    if wanted.is_stolen then
      rob_all()
      held = nil
    elseif held then
      take(client, held)
    end
    held = held or { ends_ms = 0, ttl_ms = 0, delay_ms = 0 }
    if not is_same then held.token = next_token(last) end
    held.mode, held.permits, held.claim, held.channel = wanted.mode, wanted.permits, CLAIMED, ARGV[6]
    held.delay_ms = math.max(held.delay_ms, tonumber(ARGV[7]))
    extend(held, tonumber(ARGV[4]))
    admit(client, held)
    quit()
    serve()
    first = first or held.token
  end)
  return { 1, first }
end

-- A request for several names has all its places, or none: then lines agree on the order of requests.
local function wait(all)
  local has_all, is_ahead, wait_ms = true, true, math.huge
  local is_possible = every(function(index)
    local wanted = all[index]
    is_ahead = is_ahead and wanted.live
    has_all = has_all and (wanted.covers or place_of(client))
    return not wanted.live or wanted.is_free or not is_deadlock()
  end)
  if not is_possible then return redis.error_reply('DEADLOCK another holder waits for this owner to release') end
  each(function(index)
    local wanted = all[index]
    if not has_all or wanted.covers then quit() end
    if wanted.covers then return serve() end
    local place = enter({
      mode = wanted.mode, ttl_ms = tonumber(ARGV[4]), live_ms = tonumber(ARGV[5]), channel = ARGV[6],
      permits = wanted.permits, limit = tonumber(ARGV[10]), names = names,
    }, is_ahead)
    wait_ms = math.min(wait_ms, look_ms(place, wanted.is_admitted))
  end)
  return { 0, wait_ms }
end

local function acquire()
  local all = {}
  local is_free = every(function(index)
    all[index] = judge(index)
    return all[index].is_free
  end)
  if is_free then return grant(all) end
  if ARGV[5] ~= '0' then return wait(all) end
  each(function()
    quit()
    serve()
  end)
  return { 0, 0 }
end

local function make_shared(held)
  take(client, held)
  held.mode, held.claim = held.mode == 'x' and 's' or held.mode == 'ix' and 'is' or held.mode, CLAIMED
  admit(client, held)
end

local function claimed()
  local held = find(client)
  return held and is_live(held) and held.claim ~= GRANTED and held or nil
end

local function renew()
  if not every(claimed) then return { 0, 0 } end
  local left_ms = math.huge
  each(function()
    local held = find(client)
    extend(held, tonumber(ARGV[3]))
    left_ms = math.min(left_ms, held.ends_ms - now)
    if ARGV[4] ~= '1' then return put(client, held) end
    make_shared(held)
    quit()
    serve()
  end)
  return { 1, left_ms }
end

local function release()
  -- Also in the delay after its lease, which ends by that.
  local is_held = every(function() return find(client) end)
  local is_repeated = every(function() return was_released(tonumber(ARGV[3])) end)
  each(function()
    quit()
    if is_held then take(client, find(client)) end
    serve()
  end)
  return { (is_held or is_repeated) and 1 or 0, 0 }
end

local function leave()
  each(function()
    quit()
    local held = find(client)
    if held and held.claim == GRANTED then take(client, held) end
    if held and held.claim == UPGRADED then make_shared(held) end
    serve()
  end)
  return { 1, 0 }
end

local function done()
  local held = claimed()
  if not held or held.mode ~= 'x' or held.token ~= tonumber(ARGV[3]) then
    return { redis.call('GET', KEYS[6]) == ARGV[4] and 1 or 0, 0 }
  end
  redis.call('SET', KEYS[6], ARGV[4], 'PX', ARGV[5])
  take(client, held)
  -- Whatever waits gets the result, and needs no place any more.
  local all = waiting > 0 and redis.call('ZRANGE', KEYS[at + 4], 0, -1) or {}
  for _, who in ipairs(all) do
    local place = place_of(who)
    if place then send(who, place.channel, 0) end
  end
  if waiting > 0 then redis.call('DEL', KEYS[at + 4], KEYS[at + 5]) end
  waiting = 0
  return { 1, 0 }
end

local function check()
  local is_held = every(function()
    local held = claimed()
    return held and held.token == tonumber(ARGV[3])
  end)
  return { is_held and 1 or 0, 0, 0 }
end

local function run()
  if check()[1] == 0 then return { 0 } end
  local reply = redis.pcall(unpack(ARGV, 5))
  if type(reply) == 'table' and reply.err then return reply end
  return { 1, reply }
end

local function inspect()
  local all, holders, waiters = {}, {}, {}
  if mode == 'x' then all = { owner, holder_text(sole) } end
  if mode ~= 'n' and mode ~= 'x' then all = redis.call('HGETALL', KEYS[at + 2]) end
  for index = 1, #all, 2 do
    local held = holder_of(all[index + 1])
    if now <= held.ends_ms + held.delay_ms then
      local left_ms = math.max(0, math.min(held.ends_ms - now, held.ttl_ms))
      holders[#holders + 1] = { all[index], held.mode, held.permits, held.token, left_ms }
    end
  end
  for _, who in ipairs(redis.call('ZRANGE', KEYS[at + 4], 0, -1)) do
    local place = place_of(who)
    if place and now <= place.ends_ms then
      waiters[#waiters + 1] = { who, place.mode, math.max(0, now - place.since_ms) }
    end
  end
  return { holders, waiters }
end

if operation == 'check' then return check() end
if operation == 'run' then return run() end
if operation == 'inspect' then return inspect() end

local operations = { ['acquire'] = acquire, ['renew'] = renew, ['release'] = release, ['leave'] = leave, ['done'] = done }
each(function()
  -- A server that is short of memory refuses a script whose first write may grow, and no others.
  if text and operation ~= 'acquire' then redis.call('PEXPIRE', KEYS[at + 1], state_length()) end
  expire()
  serve()
end)
local reply = operations[operation]()
reply[3] = left
each(function()
  if is_changed then save() end
end)
for _, message in ipairs(messages) do redis.pcall('PUBLISH', message[1], message[2]) end
return reply
