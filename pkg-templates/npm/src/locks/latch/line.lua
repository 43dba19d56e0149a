-- The line: places, hand-over to the head, messages.

local function place_of(who)
  local place = waiting > 0 and redis.call('HGET', KEYS[at + 5], who)
  if not place then return nil end
  local number, ends_ms, since_ms, live_ms, ttl_ms, wanted, permits, limit, count_of, channel =
    string.match(place, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%l+) (%d+) (%d+) (%d+) (.*)$')
  return {
    ticket = tonumber(number), ends_ms = tonumber(ends_ms), since_ms = tonumber(since_ms), live_ms = tonumber(live_ms),
    ttl_ms = tonumber(ttl_ms), mode = wanted, permits = tonumber(permits), limit = tonumber(limit), names = tonumber(count_of),
    channel = channel,
  }
end

local function write_place(who, place)
  redis.call('HSET', KEYS[at + 5], who, string.format('%.0f %.0f %.0f %.0f %.0f %s %.0f %.0f %.0f %s', place.ticket,
    place.ends_ms, place.since_ms, place.live_ms, place.ttl_ms, place.mode, place.permits, place.limit, place.names,
    place.channel))
  is_changed, until_ms = true, math.max(until_ms, place.ends_ms)
end

local function drop(who)
  is_changed, moved, waiting = true, moved + 1, waiting - redis.call('ZREM', KEYS[at + 4], who)
  redis.call('HDEL', KEYS[at + 5], who)
end

local function quit()
  if place_of(client) then drop(client) end
end

local function send(who, channel, look_ms)
  if channel ~= '-' and who ~= client then messages[#messages + 1] = { channel, string.format('%.0f %s', look_ms, who) } end
end

-- A grant that its owner does not know of yet.
local function hand_over(who, place, own)
  drop(who)
  local held = own or { token = next_token(token), ends_ms = 0, ttl_ms = 0, delay_ms = 0 }
  if own then take(who, own) end
  held.claim, held.mode, held.permits, held.channel = own and UPGRADED or GRANTED, place.mode, place.permits, place.channel
  extend(held, math.min(place.ttl_ms, place.ends_ms - now))
  admit(who, held)
  send(who, place.channel, 0)
end

-- Grants to the line while its head fits. Dead heads leave it.
local function serve()
  while waiting > 0 do
    local who = redis.call('ZRANGE', KEYS[at + 4], 0, 0)[1]
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
      local has_turn = (not own or is_live(own)) and fits(place.mode, place.permits, place.limit, own)
      if not has_turn or place.names > 1 then
        local wait_ms = has_turn and 0 or math.max(1, math.min(place.live_ms / 3, first_end_ms() + 1 - now))
        if moved > 0 or has_turn and is_freed then send(who, place.channel, wait_ms) end
        return
      end
      hand_over(who, place, own)
    end
  end
end

local function rob(who, held)
  send(who, held.channel, held.claim == GRANTED and 0 or -1)
  lose(who, held)
end

local function rob_all()
  if mode == 'x' then return rob(owner, sole) end
  local all = redis.call('HGETALL', KEYS[at + 2])
  for index = 1, #all, 2 do rob(all[index], (holder_of(all[index + 1]))) end
end

local function is_deadlock()
  local head = waiting > 0 and redis.call('ZRANGE', KEYS[at + 4], 0, 0, 'WITHSCORES') or {}
  if not head[1] or head[1] == client or tonumber(head[2]) >= 0 then return false end
  local other = find(head[1])
  return other and is_live(other)
end

local function look_ms(place, is_admitted)
  local wait_ms, rank = place.live_ms / 3, redis.call('ZRANK', KEYS[at + 4], client)
  if rank == 0 and not is_admitted then wait_ms = math.min(wait_ms, math.max(1, first_end_ms() + 1 - now)) end
  if place.channel == '-' then wait_ms = math.min(wait_ms, (rank + 1) * STEP_MS) end
  return math.ceil(wait_ms)
end

local function enter(wanted, is_ahead)
  local place = place_of(client)
  if not place then
    ticket = ticket + 1
    place = { ticket = ticket, since_ms = now }
  end
  for name, value in pairs(wanted) do place[name] = value end
  place.ends_ms = now + place.live_ms
  write_place(client, place)
  waiting = waiting + redis.call('ZADD', KEYS[at + 4], is_ahead and place.ticket - AHEAD or place.ticket, client)
  return place
end
