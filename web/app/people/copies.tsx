/** Copies of what is shared: the user's own of someone's data, and someone's of the user's. (docs/api/mirrors.md) */
import { useEffect, useState } from 'preact/hooks'
import { type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { AppLink } from '../parts/app-link.js'
import { Confirm } from '../parts/confirm.js'
import { formatDateTime } from '../parts/format-time.js'
import { CopyMeasures } from './copy-measures.js'
import type { Relationship } from './people.js'

/** A copy as `mirrors.get` returns it. */
export interface Mirror {
  readonly id: string
  readonly accessId: string
  readonly streamId: string
  readonly state: 'starting' | 'live' | 'erasing' | 'erased'
  readonly lastContact?: number
  readonly events: number
  readonly error?: object
  readonly erased?: number
}

interface KeptCopy {
  readonly accessId: string
  readonly state: 'live' | 'erased'
  readonly lastContact: number
  readonly erased?: number
}

interface Copies {
  readonly mirrors: readonly Mirror[]
  readonly keptCopies: readonly KeptCopy[]
}

/** Milliseconds between two looks while a copy begins, fails or ends. */
const pollMs = 3000

/** Reads the copies, again and again while something is under way. */
function useCopies(): {
  readonly copies: Copies | undefined
  readonly problem: Message | undefined
  readonly read: () => Promise<void>
} {
  const { client } = useAccount()
  const {
    read: copies,
    problem,
    reread
  } = useReading(async () => await client.callAlone<Copies>('mirrors.get', {}))
  const isBusy =
    copies?.mirrors.some(({ error, state }) => error || state === 'starting' || state === 'erasing') ?? false
  useEffect(() => {
    if (!isBusy) return undefined
    const timer = setTimeout(() => void reread(), pollMs)
    return () => clearTimeout(timer)
  }, [copies])
  return { copies, problem, read: reread }
}

/** Lets the user keep a copy of what someone has shared. */
export function OwnCopy({ relationship: { access, name } }: { readonly relationship: Relationship }) {
  const { client } = useAccount()
  const { copies, problem, read } = useCopies()
  const [isEnding, setEnding] = useState(false)
  if (problem !== undefined) return <p class="notice">{problem}</p>
  if (!copies) return null
  const mirror = copies.mirrors.findLast(({ accessId }) => accessId === access.id)
  const isKept = mirror !== undefined && mirror.state !== 'erased'
  const isLive = mirror?.state === 'live'
  return (
    <div class="copy">
      <h2>{t('people.copy')}</h2>
      <p class="hint">{isKept ? describeMirror(mirror) : t('people.copyLead', { name })}</p>
      {mirror?.erased !== undefined && (
        <p class="hint">{t('people.copyErased', { time: formatDateTime(mirror.erased) })}</p>
      )}
      {isLive && <CopyMeasures streamId={mirror.streamId} />}
      <div class="actions side">
        {isLive && (
          <>
            <AppLink class="button" to={{ page: 'timeline', query: { of: mirror.streamId } }}>
              {t('shell.timeline')}
            </AppLink>
            <AppLink class="button" to={{ page: 'table', query: { streams: mirror.streamId } }}>
              {t('people.openCopy')}
            </AppLink>
          </>
        )}
        {isKept ? (
          mirror.state !== 'erasing' && (
            <button type="button" class="button" onClick={() => setEnding(true)}>
              {t('people.endCopy')}
            </button>
          )
        ) : (
          <Action
            onClick={async () => {
              await client.call('mirrors.create', { accessId: access.id })
              await read()
            }}
          >
            {t('people.keepCopy')}
          </Action>
        )}
      </div>
      {isEnding && mirror && (
        <Confirm
          title={t('people.endCopyTitle', { name })}
          action={t('people.endCopy')}
          onClose={() => setEnding(false)}
          onConfirm={async () => {
            await client.call('mirrors.delete', { id: mirror.id })
            await read()
            setEnding(false)
          }}
        >
          <p>{t('people.endCopyText')}</p>
        </Confirm>
      )}
    </div>
  )
}

function describeMirror({ error, events, lastContact, state }: Mirror): string {
  if (state === 'starting') return t('people.copyStarting')
  if (state === 'erasing') return t('people.copyErasing')
  const time = formatDateTime(lastContact ?? 0)
  return error ? t('people.copyFailing', { time }) : t('people.copyLive', { count: events, time })
}

/** Says whether someone keeps a copy of what the user has shared; renders nothing if not. */
export function TheirCopy({ relationship: { access, name } }: { readonly relationship: Relationship }) {
  const { copies } = useCopies()
  const kept = copies?.keptCopies.find(({ accessId }) => accessId === access.id)
  if (!kept) return null
  const { erased, lastContact } = kept
  return (
    <p class="hint">
      {erased === undefined
        ? t('people.theirCopy', { name, time: formatDateTime(lastContact) })
        : t('people.theirCopyErased', { name, time: formatDateTime(erased) })}
    </p>
  )
}
