-- Rate limits, whose keys are those of LATCH.LIMIT.
--
-- KEYS     1 the limiter
-- ARGV     kind (smooth, fixed, sliding), limit, period in milliseconds, burst, cost, 1 to take
-- Reply    {1 if it is allowed, what remains, milliseconds until it is allowed or -1, milliseconds until nothing is used}

if operation == 'limit' then
  local kind, limit, period_ms, burst, cost = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
  local takes, most = ARGV[8] == '1', ARGV[3] == 'smooth' and burst or limit
  if kind == 'smooth' and limit > period_ms * 1000 or kind == 'sliding' and limit > 10000 then
    return redis.error_reply("ERR invalid LIMIT in 'latch.limit' command")
  end
  local stored = kind ~= 'sliding' and redis.call('GET', KEYS[1]) or nil
  if stored and not string.match(stored, '^-?%d+$') then
    return redis.error_reply('ERR value is not an integer or out of range')
  end
  stored = stored and tonumber(stored)
  local is_allowed, remaining, retry_ms, reset_ms

  if kind == 'smooth' then
    -- Stored is the instant at which the bucket is full again, in microseconds.
    local now_us, interval_us = now * 1000, math.ceil(period_ms * 1000 / limit)
    local capacity_us = burst * interval_us
    local full_us = math.min(math.max(stored or now_us, now_us), now_us + capacity_us)
    local next_us = full_us + math.min(cost, burst) * interval_us
    is_allowed = cost <= burst and next_us - now_us <= capacity_us
    local used_us = is_allowed and takes and next_us or full_us
    if takes and (is_allowed or stored and used_us < stored) then
      redis.call('SET', KEYS[1], string.format('%.0f', used_us), 'PXAT', string.format('%.0f', math.ceil(used_us / 1000)))
    end
    remaining = math.floor((capacity_us - (used_us - now_us)) / interval_us)
    retry_ms = math.ceil((next_us - capacity_us - now_us) / 1000)
    reset_ms = math.ceil((used_us - now_us) / 1000)
  elseif kind == 'fixed' then
    local ends_in_ms = stored and redis.call('PTTL', KEYS[1]) or period_ms
    local before = math.max(stored or 0, 0)
    is_allowed = before + cost <= limit
    local used = is_allowed and takes and before + cost or before
    -- A window that ends later than a new one is of a clock that was ahead, or of a longer period.
    local is_late = stored and ends_in_ms > period_ms
    if takes and (is_allowed or is_late) then
      local text = string.format('%.0f', used)
      if stored and not is_late then
        redis.call('SET', KEYS[1], text, 'KEEPTTL')
      else
        redis.call('SET', KEYS[1], text, 'PX', ARGV[5])
      end
    end
    remaining = math.max(0, limit - used)
    retry_ms = ends_in_ms < 0 and -1 or math.min(ends_in_ms, period_ms) + 1
    reset_ms = used == 0 and 0 or retry_ms
  else
    local oldest_ms = now - period_ms
    local before_oldest, after_now = string.format('(%.0f', oldest_ms), string.format('(%.0f', now)
    -- Uses of a clock that was ahead count from now.
    local ahead = takes and redis.call('ZRANGEBYSCORE', KEYS[1], after_now, '+inf') or {}
    for _, member in ipairs(ahead) do redis.call('ZADD', KEYS[1], now, member) end
    local over = redis.call('ZCOUNT', KEYS[1], '-inf', before_oldest)
    local used = redis.call('ZCARD', KEYS[1]) - over
    local function until_left(rank)
      local score = redis.call('ZRANGE', KEYS[1], rank, rank, 'WITHSCORES')[2] or now
      return math.min(tonumber(score), now) - oldest_ms + 1
    end
    is_allowed = used + cost <= limit
    retry_ms = not is_allowed and until_left(over + used + cost - limit - 1) or 0
    reset_ms = used > 0 and until_left(over + used - 1) or 0
    if is_allowed and takes then
      local number, added = 0, 0
      while added < cost do
        added = added + redis.call('ZADD', KEYS[1], 'NX', now, string.format('%.0f-%.0f', now, number))
        number = number + 1
      end
      redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', now + period_ms))
      if over > 0 then redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', before_oldest) end
      used, reset_ms = used + cost, period_ms + 1
    end
    remaining = math.max(0, limit - used)
  end
  if is_allowed then retry_ms = 0 end
  return { is_allowed and 1 or 0, remaining, cost > most and -1 or retry_ms, reset_ms }
end
