/**
 * Details of a requested stream: where it is, who created it, who else can see it, and what the app could change
 * about the account.
 */
import type { Level } from '../auth-request.js'
import type { Audience, AccessDescription } from '../grant-access.js'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'

interface Props {
  readonly audience: Audience
  readonly level: Level
  /** The operator's names for apps, by id. */
  readonly appNames: ReadonlyMap<string, string>
}

/** Streams that contain the email address to which password reset links are sent. */
const addressStreams: ReadonlySet<string> = new Set([':system:email', ':_system:account'])

/** Shows where a stream is, who has created it, and who else sees it. */
export function StreamDetails({ audience, level, appNames }: Props) {
  const { accesses, creator, isOfAccount, more, path } = audience
  const ancestors = path.slice(0, -1).map(({ name }) => toPlainText(name))
  const holders = accesses.map(each =>
    t('stream.holder', { name: describeAccess(each, appNames), what: t(`sees.${each.level}`) })
  )
  if (more > 0) holders.push(t('stream.more', { count: more }))
  const isAddress = addressStreams.has(path.at(-1)?.id ?? '')
  return (
    <>
      {!isOfAccount && ancestors.length > 0 && (
        <p class="hint">{t('stream.lies', { path: ancestors.join(' › ') })}</p>
      )}
      {creator && <p class="hint">{t('stream.made', { name: describeAccess(creator, appNames) })}</p>}
      {holders.length > 0 && <p class="hint">{t('stream.open', { list: holders.join(', ') })}</p>}
      {isOfAccount && mayWrite(level) && (
        <p class="hint strong">{t(isAddress ? 'stream.address' : 'stream.account')}</p>
      )}
    </>
  )
}

function mayWrite(level: Level): boolean {
  return level === 'create-only' || level === 'contribute' || level === 'manage'
}

function describeAccess(
  { deviceName, name, type }: AccessDescription,
  appNames: ReadonlyMap<string, string>
): string {
  const own = toPlainText(name)
  const shown = type === 'app' ? (appNames.get(name) ?? own) : t('stream.share', { name: own })
  return deviceName === undefined ? shown : `${shown}, ${toPlainText(deviceName)}`
}
