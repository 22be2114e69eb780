/** What an operator has to look after, for as long as it is so. (docs/cluster.md#alarms) */

/**
 * `replica`: a server's copy of a log lacks records. `copies`: no two copies of a log agree. `server`: a server of the engine
 * does not answer. `limit`: a log has filled most of the space that it may take. `register`: a register cannot be read.
 * `account`: an account's file cannot be made of its log. `platform`: the log of the platform cannot be followed. `disk`: the disk of a
 * node is nearly full. `backup`: the backups that a node makes fail.
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
  /** What it is about, such as the name of a server or of a log: there is one alarm of a kind about each. */
  readonly about: string
  /** What is wrong, and what to do. */
  readonly text: string
}
