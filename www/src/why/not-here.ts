/**
 * Commands of Redis that keylatch lacks, under the version of Redis that has them first: facts (see NOTICE). Pure.
 */

/** In the place of a version: subcommands that Redis has for its own tests, without documentation. */
export const FOR_TESTS = '';

/** Names in capitals, separated by blanks; a subcommand is `PARENT|CHILD`, a group of names ends with `*`. */
const SINCE: Readonly<Record<string, string>> = {
  '1.0.0': 'SYNC',
  '2.6.0': 'MIGRATE',
  '2.8.0': 'PSYNC',
  '2.8.9': 'PFDEBUG PFSELFTEST',
  '3.0.0':
    'CLUSTER|ADDSLOTS CLUSTER|BUMPEPOCH CLUSTER|COUNT-FAILURE-REPORTS CLUSTER|COUNTKEYSINSLOT CLUSTER|DELSLOTS CLUSTER|FAILOVER CLUSTER|FLUSHSLOTS CLUSTER|FORGET CLUSTER|GETKEYSINSLOT CLUSTER|MEET CLUSTER|REPLICATE CLUSTER|RESET CLUSTER|SAVECONFIG CLUSTER|SET-CONFIG-EPOCH CLUSTER|SETSLOT CLUSTER|SLAVES REPLCONF RESTORE-ASKING',
  '3.2.0': 'SCRIPT|DEBUG',
  '4.0.0': 'MODULE|LOAD MODULE|UNLOAD',
  '5.0.0': 'CLUSTER|REPLICAS',
  '6.0.0': 'ACL|DELUSER ACL|GENPASS ACL|GETUSER ACL|LIST ACL|LOAD ACL|LOG ACL|SAVE ACL|SETUSER',
  '6.2.0': 'FAILOVER',
  '7.0.0': 'ACL|DRYRUN CLUSTER|ADDSLOTSRANGE CLUSTER|DELSLOTSRANGE CLUSTER|LINKS MODULE|LOADEX',
  '8.0.0':
    'BF.* CF.* CMS.* FT.* JSON.* TDIGEST.* TOPK.* TS.* VADD VCARD VDIM VEMB VGETATTR VINFO VISMEMBER VLINKS VRANDMEMBER VREM VSETATTR VSIM',
  '8.2.0': 'XACKDEL XDELEX',
  '8.4.0': 'VRANGE',
  '8.6.0': 'XCFGSET',
  [FOR_TESTS]: 'DEBUG|DIGEST DEBUG|ERROR DEBUG|LOADAOF DEBUG|LOG DEBUG|POPULATE DEBUG|SLEEP DEBUG|STRUCTSIZE',
};

/** Version of Redis that has a command of this name first, if keylatch lacks it, or `FOR_TESTS`; a name such as `vadd` or `MODULE|LOAD`. */
export function missingSince(name: string): string | undefined {
  const wanted = name.toUpperCase();
  const group = `${wanted.split('.')[0]}.*`;
  return Object.entries(SINCE).find(([, names]) => {
    const list = names.split(' ');
    return list.includes(wanted) || (wanted.includes('.') && list.includes(group));
  })?.[0];
}
