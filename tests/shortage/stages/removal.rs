//! Scenes in which keys expire or are evicted.

use super::{Act, Author, Rule, Stage, words};

pub(super) fn expiring(author: &mut Author) {
    let dead = |stage: &mut Stage, others: usize| {
        for number in 0..300 {
            stage.says(0, &format!("SET key:{number} v PX 5"));
        }
        stage.says(0, "SET ~ v PX 5");
        stage.others_say(others.min(40), |_| "HELLO 3".into());
        stage.others_say(others.min(40), |_| "CLIENT TRACKING ON".into());
        stage.others_say(others.min(40), |_| "MGET key:{300}".into());
        stage.others_say(others, |_| "WATCH key:1 key:2".into());
        stage.engine.clock_mut().advance(10);
    };
    author.played(Rule::Converges, &|| Act::Tick, dead);
    for line in ["MGET key:{300} ~", "GET key:1", "DEL key:{300} ~", "SET key:1 v NX", "DBSIZE"] {
        author.scenes(Rule::Parts, line, dead);
    }
    let dying = |stage: &mut Stage, others: usize| {
        dead(stage, others);
        stage.says(0, "DEBUG SET-ACTIVE-EXPIRE 0");
    };
    for line in ["MGET key:{300} ~", "SCAN 0 COUNT 1000", "KEYS *", "RANDOMKEY", "EXISTS key:{300}"] {
        author.scenes(Rule::Parts, line, |stage, others| {
            stage.says(0, "DEBUG SET-ACTIVE-EXPIRE 0");
            dying(stage, others);
        });
    }
    let fields = |stage: &mut Stage| {
        stage.says(0, "DEBUG SET-ACTIVE-EXPIRE 0");
        let pair = |number: usize| [format!("field:{number}{}", "f".repeat(60)).into_bytes(), b"v".to_vec()];
        let fields: Vec<[Vec<u8>; 2]> = (0..600).map(pair).collect();
        stage.sends(0, &words("HSET hash").into_iter().chain(fields.iter().flatten().cloned()).collect());
        let names = fields.iter().map(|[name, _]| name.clone());
        stage.sends(0, &words("HPEXPIRE hash 5 FIELDS 600").into_iter().chain(names).collect());
        stage.says(0, "HSET hash stays v");
        stage.says(1, "WATCH hash");
        stage.engine.clock_mut().advance(10);
    };
    for line in ["HGET hash stays", "HGETALL hash", "HLEN hash", "HSET hash more ~", "SCAN 0", "DEL hash", "KEYS *"] {
        author.alone(Rule::Parts, &|| Act::Say(0, words(line)), fields);
    }
    author.alone(Rule::Converges, &|| Act::Tick, |stage| {
        fields(stage);
        stage.says(0, "DEBUG SET-ACTIVE-EXPIRE 1");
    });
}

pub(super) fn evicting(author: &mut Author) {
    for policy in ["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-ttl", "volatile-lfu"] {
        for line in ["SET more ~", "GET key:1", "EXEC"] {
            author.alone(Rule::Parts, &|| Act::Say(0, words(line)), |stage| {
                let deadline = if policy.starts_with("volatile") { " PX 100000" } else { "" };
                (0..400).for_each(|number| stage.says(0, &format!("SET key:{number} value{deadline}")));
                stage.says(0, &format!("SET {} v{deadline}", "k".repeat(5_000)));
                stage.says(1, "HELLO 3");
                stage.says(1, "CLIENT TRACKING ON");
                stage.says(1, "MGET key:{400}");
                let used = stage.engine.keyspace().counted_bytes();
                stage.says(0, &format!("CONFIG SET maxmemory-policy {policy}"));
                stage.says(0, &format!("CONFIG SET maxmemory {}", used + 6_100));
                if line == "EXEC" {
                    stage.says(0, "MULTI");
                    (0..9).for_each(|number| stage.says(0, &format!("SET more:{number} ~")));
                }
                // The last to fit brings memory beyond its limit.
                let other = stage.comes();
                stage.says(other, "SET large ~");
                stage.says(other, "APPEND large ~");
            });
        }
    }
}
