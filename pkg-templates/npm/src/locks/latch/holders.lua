-- Holders: leases, tokens that were lost, what fits beside what.

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
  local held = mode ~= 'n' and redis.call('HGET', KEYS[at + 2], who)
  return held and (holder_of(held)) or nil
end

local function put(who, held)
  is_changed, until_ms = true, math.max(until_ms, held.ends_ms + held.delay_ms)
  if held.mode == 'x' then
    sole, owner = held, who
  else
    redis.call('HSET', KEYS[at + 2], who, holder_text(held))
    redis.call('ZADD', KEYS[at + 3], held.ends_ms + held.delay_ms, who)
  end
end

local function take(who, held)
  is_changed, is_freed, sum = true, true, sum - held.permits
  if mode == held.mode then strong = strong - held.permits end
  if mode == 'x' then
    sole, owner = nil, nil
  else
    redis.call('HDEL', KEYS[at + 2], who)
    redis.call('ZREM', KEYS[at + 3], who)
  end
  if strong <= 0 then mode, strong = 'is', sum end
  if sum <= 0 then mode, sum, strong = 'n', 0, 0 end
end

local function admit(who, held)
  count(held)
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
  local score = waiting > 0 and redis.call('ZSCORE', KEYS[at + 4], who)
  -- An upgrade without its lease waits on by its ticket.
  if score and tonumber(score) < 0 then redis.call('ZADD', KEYS[at + 4], score + AHEAD, who) end
end

local function expire()
  if mode == 'x' then
    cut(owner, sole)
    if now > sole.ends_ms + sole.delay_ms then lose(owner, sole) end
  elseif mode ~= 'n' then
    local all = now < seen_ms and redis.call('HGETALL', KEYS[at + 2]) or {}
    for index = 1, #all, 2 do cut(all[index], (holder_of(all[index + 1]))) end
    local over = redis.call('ZRANGEBYSCORE', KEYS[at + 3], '-inf', string.format('(%.0f', now), 'LIMIT', 0, BATCH)
    for _, who in ipairs(over) do lose(who, find(who)) end
    if #over == BATCH then left = 1 end
  end
end

local function first_end_ms()
  if mode == 'x' then return sole.ends_ms + sole.delay_ms end
  return mode ~= 'n' and tonumber(redis.call('ZRANGE', KEYS[at + 3], 0, 0, 'WITHSCORES')[2]) or now
end

-- The weakest mode that allows what either of two allows.
local function joined(one, other)
  if one == other or other == 'is' and (one == 's' or one == 'ix') then return one end
  return one == 'is' and (other == 's' or other == 'ix') and other or 'x'
end

local function fits(wanted, permits, limit, own)
  if mode == 'n' or own and sum == own.permits then return true end
  if mode == 'x' or wanted == 'x' then return false end
  if mode == 'p' and wanted == 'p' then return sum - (own and own.permits or 0) + permits <= limit end
  return mode ~= 'p' and wanted ~= 'p' and (mode == wanted or mode == 'is' or wanted == 'is')
end
