//! Scripts made of parts that take long for their length. `N` stands for a number up to a hundred thousand, `n` for one up
//! to two hundred; names begin with other letters.

use super::dice::Dice;

/// Values for parts: what comes before a loop.
const VALUES: &[&str] = &[
    "local a=string.rep('x',N) local b=a..'b' a=a..'a'",
    "local a=string.rep('x',N) local b=string.rep('x',N)",
    "local a=('ab'):rep(N) local b='[^a]*b-$'",
    "local a=('('):rep(n)..(')'):rep(n) local b='%b()'",
    "local a='0'..('1'):rep(n) local b='1e300'",
    "local a='return '..('a or '):rep(N)..'1' local b='x'",
    "local a=('x=1.5 '):rep(n) local b='y'",
    "local a='{'..('\"a\":[1.5,true],'):rep(n)..'\"b\":1}' local b='z'",
];

/// Tables for parts: `t` and what it holds.
const TABLES: &[&str] = &[
    "local t={} for i=1,N do t[i]=i end",
    "local t={} for i=1,N do t[i]=(i*7919)%10007 end",
    "local t={} for i=1,N do t[i]='x'..i end",
    "local t={} for i=1,N do t['k'..i]=i end",
    "local t={} for i=1,N do t[i/3]=i end",
    "local t={} for i=1,N do t[i*131071]=i t[i*4095]=i end",
    "local t={} for i=1,n do t=setmetatable({},{__index=t,__newindex=t}) end",
    "local t=setmetatable({},{__mode='k'})",
    "local t={} for i=1,20 do t={t,t} end",
    "local p,t={[0]='Aa','BB'},{} for i=1,4096 do local s,x='',i for j=1,12 do s,x=s..p[x%2],math.floor(x/2) end t[i]=s end",
    "local t={} for i=1,n do t[i]=string.rep('x',N) end",
    "local t={} for i=1,N do t[i]=0.1*i end",
];

/// Keys for parts.
const KEYS: &[&str] = &[
    "for i=1,300 do redis.call('SET','k'..i,1) end",
    "for i=1,300 do redis.call('RPUSH','l',i) end",
    "for i=1,300 do redis.call('SADD','s','m'..i) end",
    "for i=1,300 do redis.call('HSET','h','f'..i,i) end",
    "for i=1,300 do redis.call('ZADD','z',i%7,'m'..i) end",
    "for i=1,300 do redis.call('GEOADD','g',i/30,i/30,i) end",
    "redis.call('SETRANGE','v',N,'x') redis.call('SETRANGE','w',N,'y')",
];

/// Work on values and tables.
const WORK: &[&str] = &[
    "c=a<b",
    "c=a==b",
    "c=a..b",
    "c=a..i..b..i",
    "c=#t",
    "c=t[i]",
    "c=t.x",
    "t[i]=nil t[i+1000]=1",
    "t['k'..i]=nil t['k'..i+1000]=1",
    "t[i/7]=i",
    "t[{}]=1",
    "rawset(t,i,1)",
    "c=rawget(t,i/7)",
    "c={a,b,t,i,1,2,3,4}",
    "c=function() return a,b,t end",
    "c={unpack(t,1,100)}",
    "c=select('#',unpack(t,1,2000))",
    "c=f(unpack(t,1,2000))",
    "c=1e308%(i+1e-300)",
    "c=math.fmod(1e308,i)",
    "c=i^1.7",
    "c=tostring(i+0.1)",
    "c=tonumber(a)",
    "c=tonumber('zz',36)",
    "c=a:lower()",
    "c=a:reverse()",
    "c=a:sub(2)",
    "c=a:gsub('x','y',0)",
    "c=a:gsub('.','%0%0',n)",
    "c=a:find(b)",
    "c=a:find(b,1,true)",
    "c=a:match('^(.-)(.-)b')",
    "c=a:byte(1,2000)",
    "c=('x'):rep(N)",
    "c=string.format('%99.99f',1e300/i)",
    "c=string.format('%s%q%d',a,a,i)",
    "c=string.char(1,2,3)",
    "table.sort(t)",
    "table.sort(t,function(x,y) return tostring(x)<tostring(y) end)",
    "c=table.concat(t,',')",
    "table.insert(t,1,i) table.remove(t)",
    "c=table.remove(t,1) t[#t+1]=c",
    "for k,v in pairs(t) do c=v end",
    "for k,v in ipairs(t) do c=v end",
    "c=next(t)",
    "error('x')",
    "error({})",
    "c=nil+1",
    "c=xpcall(error,error)",
    "c=setmetatable({},{__index=t}).x",
    "c=setmetatable({},{__index=function() return 1 end}).x",
    "c=collectgarbage('count')",
    "collectgarbage()",
    "c=coroutine.create(function() end)",
    "c=coroutine.wrap(function() coroutine.yield(1) end)()",
    "c=loadstring(a)",
    "c=loadstring('return '..i)()",
    "c=cjson.encode(t)",
    "c=cjson.decode(a)",
    "c=cjson.encode(i+0.1)",
    "c=cmsgpack.unpack(cmsgpack.pack(t))",
    "c=struct.pack('>I4',i)",
    "c=bit.tohex(i)",
    "c=redis.sha1hex(a)",
    "c=redis.status_reply(a)",
    "f()",
];

/// Commands.
const COMMANDS: &[&str] = &[
    "redis.call('PING')",
    "redis.call('SET','a',a)",
    "redis.call('GET','a')",
    "redis.call('KEYS','*zz*')",
    "redis.call('SCAN','0','COUNT','N','MATCH','*zz*')",
    "redis.call('SORT','l','LIMIT','0','1')",
    "redis.call('SORT','l','BY','k*','LIMIT','0','1')",
    "redis.call('LRANGE','l','0','-1')",
    "redis.call('LPOS','l','x')",
    "redis.call('LREM','l','0','x')",
    "redis.call('HGETALL','h')",
    "redis.call('HSCAN','h','0','MATCH','x*','COUNT','N')",
    "redis.call('HRANDFIELD','h','-n')",
    "redis.call('SRANDMEMBER','s','n')",
    "redis.call('SINTERCARD','2','s','s')",
    "redis.call('SUNIONSTORE','d','s','s')",
    "redis.call('COPY','s','d','REPLACE')",
    "redis.call('DUMP','h')",
    "redis.call('ZUNIONSTORE','d','3','z','z','s')",
    "redis.call('ZRANGE','z','0','-1')",
    "redis.call('ZLEXCOUNT','z','-','+')",
    "redis.call('GEOSEARCH','g','FROMLONLAT','5','5','BYRADIUS','9000','km','COUNT','1')",
    "redis.call('LCS','v','w','LEN')",
    "redis.call('BITCOUNT','v')",
    "redis.call('BITOP','NOT','x','v')",
    "redis.call('INCRBYFLOAT','f','1e-9')",
    "redis.call('PFADD','p',i) redis.call('PFCOUNT','p')",
    "redis.call('XADD','x','*','a',i)",
    "redis.call('INFO')",
    "redis.call('COMMAND')",
    "redis.pcall('nothing')",
];

/// Surroundings of work, of which `$` is replaced. The last ones end on their own: their result is the work.
const SURROUNDINGS: &[&str] = &[
    "while true do i=i+1 $ end",
    "while true do i=i+1 pcall(function() $ end) end",
    "while true do i=i+1 xpcall(function() $ end,function(e) return e end) end",
    "local g=function() i=i+1 $ end while true do pcall(g) end",
    "local g g=function() i=i+1 $ pcall(g) pcall(g) end while true do pcall(g) end",
    "local g=coroutine.wrap(function() while true do i=i+1 $ coroutine.yield() end end) while true do g() end",
    "while true do coroutine.wrap(function() i=i+1 $ end)() end",
    "while true do i=i+1 ('xxxxxxxx'):gsub('x',function() $ end) end",
    "while true do table.sort({3,1,2,5,4},function(x,y) i=i+1 $ return x<y end) end",
    "local m=setmetatable({},{__index=function() i=i+1 $ end}) while true do c=m.x end",
    "local m=setmetatable({},{__lt=function() i=i+1 $ return true end}) while true do c=m<m end",
    "for j=1,n do i=i+1 $ end return t",
    "return {a,b,t,t}",
];

/// Longest number that `N` stands for.
const LARGE: u64 = 100_000;
const SMALL: u64 = 200;

/// Script of a seed.
pub fn script(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = "local i,c,f=0,nil,function(...) return ... end ".to_owned();
    let work = if dice.roll(3) == 0 { COMMANDS } else { WORK };
    for part in [VALUES, TABLES] {
        text.push_str(dice.pick::<&str>(part));
        text.push(' ');
    }
    if work == COMMANDS {
        KEYS.iter().for_each(|keys| text.push_str(&format!("{keys} ")));
    }
    let parts: Vec<&str> = (0..=dice.roll(3)).map(|_| *dice.pick(work)).collect();
    text.push_str(&dice.pick(SURROUNDINGS).replace('$', &parts.join(" ")));
    numbered(&text, &mut dice)
}

/// Replaces `N` and `n` that stand alone by numbers. Small ones are as frequent as large ones.
fn numbered(text: &str, dice: &mut Dice) -> String {
    let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let mut numbered = String::new();
    for (at, &byte) in bytes.iter().enumerate() {
        let is_alone = !is_part(at.checked_sub(1).and_then(|before| bytes.get(before))) && !is_part(bytes.get(at + 1));
        match byte {
            b'N' if is_alone => numbered.push_str(&number(LARGE, dice).to_string()),
            b'n' if is_alone => numbered.push_str(&number(SMALL, dice).to_string()),
            _ => numbered.push(byte.into()),
        }
    }
    numbered
}

fn number(most: u64, dice: &mut Dice) -> u64 {
    let shift = dice.roll(u64::from(most.ilog2()));
    1 + dice.roll((most >> shift).max(1))
}
