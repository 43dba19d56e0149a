// Types of keylatch/limits, asserted: this file is compiled and never run.
import { Keylatch } from 'keylatch';
import {
  expressIdempotency,
  expressLimit,
  fastifyIdempotency,
  fastifyLimit,
  FlexibleLimiter,
  honoIdempotency,
  honoLimit,
  RateLimitStore,
  type ClientHits,
  type ConnectMiddleware,
  type ConnectRequest,
  type FastifyHook,
  type FastifyRequestLike,
  type FlexibleLimiterOptions,
  type HonoContextLike,
  type HonoMiddleware,
  type IdempotencyHooks,
  type RateLimiterRes,
} from 'keylatch/limits';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['the types differ', A, B]): void {}

const db = new Keylatch();
const rule = { limit: 10, period: 1000 };

const store = new RateLimitStore(db, { prefix: 'a:', timeout: 100 });
same<Awaited<ReturnType<typeof store.increment>>, ClientHits>();
// @ts-expect-error no such option
new RateLimitStore(db, { prefx: '' });

const options: FlexibleLimiterOptions = { storeClient: db, points: 1, duration: 1 };
const limiter = new FlexibleLimiter({ ...options, insuranceLimiter: new FlexibleLimiter(options) });
same<Awaited<ReturnType<typeof limiter.consume>>, RateLimiterRes>();
same<Awaited<ReturnType<typeof limiter.get>>, RateLimiterRes | null>();
limiter.consume(7, 2, { customDuration: 5 });
// @ts-expect-error the store is missing
new FlexibleLimiter({ points: 1, duration: 1 });

interface User {
  readonly user: string;
}
const inExpress = expressLimit<User>(db, { ...rule, key: ({ user }) => user, cost: async ({ user }) => user.length });
same<typeof inExpress, ConnectMiddleware<User>>();
const inFastify = fastifyLimit(db, { ...rule, key: ({ user }: User) => user, skip: ({ user }) => user === '' });
same<typeof inFastify, FastifyHook<User>>();
const inHono = honoLimit(db, { ...rule, key: (context) => context.req.header('x') ?? '', onFailure: 'closed' });
same<typeof inHono, HonoMiddleware<HonoContextLike>>();
// @ts-expect-error the key is missing
honoLimit(db, rule);
// @ts-expect-error requests are counted, and not only looked at
honoLimit(db, { ...rule, key: () => '', peek: true });

const once = expressIdempotency<ConnectRequest & User>(db, { scope: ({ user }) => user, methods: ['POST'] });
same<typeof once, ConnectMiddleware<ConnectRequest & User>>();
const hooks = fastifyIdempotency(db, { scope: ({ url }: FastifyRequestLike) => url, keeps: (status) => status < 300 });
same<typeof hooks, IdempotencyHooks<FastifyRequestLike>>();
const middleware = honoIdempotency(db, { scope: async (context) => context.req.url, required: true, maxBytes: 10 });
same<typeof middleware, HonoMiddleware<HonoContextLike>>();
// @ts-expect-error responses of all clients would be one
honoIdempotency(db, {});
