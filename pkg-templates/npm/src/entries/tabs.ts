/** Entry `keylatch/tabs`: one database for all tabs of a browser. */
export { isResent } from '../tabs/resent.js';
export { share, type ShareOptions } from '../tabs/share.js';
export { SharedClient } from '../tabs/shared-client.js';
export type { SharedCommands } from '../tabs/shared-commands.js';
export type { SharedValues } from '../tabs/shared-json.js';
export { SharedKeylatch, type RoleListener } from '../tabs/shared-keylatch.js';
export type { SharedMulti } from '../tabs/shared-multi.js';
export type { SharedPrefixedClient, SharedPrefixedCommands } from '../tabs/shared-prefix.js';
export type { Role } from '../tabs/role.js';
export { TabsError, type TabsCode } from '../tabs/tabs-error.js';
