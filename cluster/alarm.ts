/** Conditions that an operator has to resolve, for as long as they last. (docs/cluster.md#alarms) */

/**
 * `replica`: a server's copy of a log lacks records. `copies`: no two copies of a log agree. `server`: a server of the
 * engine does not answer. `limit`: a log has filled most of its space. `register`: a register cannot be read.
 * `account`: an account's file cannot be restored from its log. `platform`: the log of the platform cannot be followed.
 * `disk`: the disk of a node is nearly full. `backup`: a node's backups fail.
 */
export const alarmKinds = [
  'replica',
  'copies',
  'server',
  'limit',
  'register',
  'account',
  'platform',
  'disk',
  'backup'
] as const
export type AlarmKind = (typeof alarmKinds)[number]

export interface Alarm {
  readonly kind: AlarmKind
  /** The subject, such as the name of a server or of a log: each subject has at most one alarm of a kind. */
  readonly about: string
  /** The problem, and what to do. */
  readonly text: string
}
