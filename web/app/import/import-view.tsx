/** One import: contents of the file, mapping, progress, summary and undo. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Alert } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { explainError, type Message } from '../../explain-error.js'
import { Refusal } from '../../api.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { Confirm } from '../parts/confirm.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { formatDuration, formatSize } from '../parts/format-duration.js'
import { formatDay } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { buildHref, navigate } from '../route.js'
import { ImportLanes } from './import-lanes.js'
import { getChoice, type LaneChoices } from './lane-targets.js'
import {
  getFailureText,
  isBusy,
  getNoticeText,
  sumCounts,
  type Import,
  type LaneChoice,
  type Mapping
} from './model.js'
import { ImportSummary } from './import-summary.js'
import { Tables } from './tables.js'

/** Methods that change an import. */
type Change = `imports.${'cancel' | 'delete' | 'look' | 'run'}`

/** Milliseconds between polls of the progress. */
const pollIntervalMs = 500

/**
 * Shows one import, polls its progress while it is running, and lets the user choose what it imports, run, cancel, undo or
 * discard it. Goes to the list of imports if it no longer exists.
 */
export function ImportView({ id }: { readonly id: string }) {
  const { client, username } = useAccount()
  const {
    read: current,
    problem,
    reread,
    show
  } = useReading(async () => {
    try {
      return (await client.call<{ import: Import }>('imports.getOne', { id })).import
    } catch (error) {
      // The import has been undone.
      if (error instanceof Refusal && error.id === 'unknown-resource')
        navigate(buildHref(username, { page: 'import' }), true)
      throw error
    }
  }, [client, username, id])
  const [isRemoving, setRemoving] = useState(false)
  const [choices, setChoices] = useState<LaneChoices>({})
  const [mappings, setMappings] = useState<Readonly<Record<string, Mapping>>>({})

  useEffect(() => {
    if (!current || !isBusy(current)) return undefined
    const timer = setTimeout(() => void reread(), pollIntervalMs)
    return () => clearTimeout(timer)
  }, [current])

  const callMethod = async (method: Change, params: object = {}): Promise<void> => {
    const result = await client.call<{ import: Import }>(method, { id, ...params })
    setChoices({})
    show(result.import)
    void reread()
  }
  if (!current) return problem === undefined ? <Skeleton kind="page" /> : <ReadProblem message={problem} />
  const { look, message, progress, state, tally } = current
  const isDone = state === 'written'
  const canRun = state === 'looked' || state === 'cancelled' || state === 'failed'
  const changed = Object.keys(mappings).length > 0
  const toImport = sumCounts(tally?.broughtIn)
  const existing = sumCounts(tally?.known)
  // The review has counted other lanes than are chosen now.
  const isUncounted =
    look?.lanes.some(lane => isLeftOut(lane.choice) !== isLeftOut(getChoice(lane, choices))) === true
  // An import that wrote nothing is discarded, others are undone.
  const hasWritten = isDone || state === 'cancelled' || state === 'failed'
  const isComplete = Object.values(mappings).every(({ time, values }) => time >= 0 && values.length > 0)
  return (
    <div class="column">
      <AppLink to={{ page: 'import' }} class="crumb">
        <Icon name="left" />
        {t('import.title')}
      </AppLink>
      <h1>{t(`import.heading.${state}`)}</h1>
      {state === 'looked' && <p class="lead">{t('import.reviewLead')}</p>}
      <section class="card file">
        <Icon name="file" />
        <p>
          <b>{toPlainText(current.fileName)}</b>
          <small>
            {[look?.formatName, formatSize(current.size), formatPeriod(look)].filter(Boolean).join(', ')}
          </small>
        </p>
        {current.seconds !== undefined && !isBusy(current) && (
          <span class="done">{t('import.took', { time: formatDuration(current.seconds) })}</span>
        )}
      </section>
      {isBusy(current) && (
        <section class="card working" role="status">
          <p>{t(`import.state.${state as 'looking'}`)}</p>
          <progress
            {...(progress && progress.total > 0 ? { value: progress.done / progress.total } : {})}
            aria-label={t(`import.heading.${state}`)}
          />
          {state !== 'removing' && (
            <Action onClick={async () => await callMethod('imports.cancel')}>{t('import.stop')}</Action>
          )}
        </section>
      )}
      {message !== undefined && (state === 'failed' || state === 'unreadable') && (
        <Alert>{getFailureText(current)}</Alert>
      )}
      {look?.warnings.map((warning, at) => (
        <p class="notice" key={warning}>
          {look.notices?.[at] ? getNoticeText(look.notices[at], warning) : toPlainText(warning)}
        </p>
      ))}
      {look && look.tables.length > 0 && canRun && (
        <Tables tables={look.tables} mappings={mappings} onChange={setMappings} />
      )}
      {state === 'looked' && (
        <ZoneChoice
          zone={current.zone}
          onChange={async zone => {
            await callMethod('imports.look', { zone, mappings, lanes: choices })
            setMappings({})
          }}
        />
      )}
      {changed && !isComplete && <p class="notice">{t('import.incomplete')}</p>}
      {changed && isComplete && (
        <div class="actions start">
          <Action
            onClick={async () => {
              await callMethod('imports.look', { mappings, lanes: choices })
              setMappings({})
            }}
          >
            {t('import.apply')}
          </Action>
        </div>
      )}
      {look && look.lanes.length > 0 && (
        <ImportLanes
          lanes={look.lanes}
          total={sumCounts(look.records)}
          choices={choices}
          onChoose={canRun ? (key, choice) => setChoices(all => ({ ...all, [key]: choice })) : undefined}
        />
      )}
      {tally && <ImportSummary tally={tally} isDone={isDone} look={look} />}
      <div class="bar card">
        {state === 'looked' && tally && (
          <p>
            {isUncounted ? (
              t('import.willWriteChosen')
            ) : (
              <>
                {t('import.willWrite', { count: toImport })}{' '}
                {existing > 0 && t('import.willKeep', { count: existing })}
              </>
            )}
          </p>
        )}
        {isDone && (
          <AppLink
            to={{
              page: 'timeline',
              query: look?.from && look.to ? { from: String(look.from), to: String(look.to) } : {}
            }}
            class="button primary"
          >
            {t('import.viewTimeline')}
          </AppLink>
        )}
        {canRun && !changed && (toImport + existing > 0 || isUncounted) && (
          <Action
            class="button primary"
            onClick={async () => await callMethod('imports.run', { lanes: choices })}
          >
            {state !== 'looked'
              ? t('import.continue')
              : isUncounted
                ? t('import.runChosen')
                : toImport > 0
                  ? t('import.run', { count: toImport })
                  : t('import.finish')}
          </Action>
        )}
        {!isBusy(current) && (
          <button type="button" class="button" onClick={() => setRemoving(true)}>
            {t(hasWritten ? 'import.undo' : 'import.discard')}
          </button>
        )}
      </div>
      {isRemoving && (
        <Confirm
          title={t(hasWritten ? 'import.undoTitle' : 'import.discardTitle')}
          action={t(hasWritten ? 'import.undo' : 'import.discard')}
          onConfirm={async () => {
            await callMethod('imports.delete')
            setRemoving(false)
            showToast(t(hasWritten ? 'import.undoStarted' : 'import.discarded'))
          }}
          onClose={() => setRemoving(false)}
        >
          <p>{hasWritten ? t('import.undoText', { count: toImport }) : t('import.discardText')}</p>
        </Confirm>
      )}
    </div>
  )
}

function isLeftOut(choice: LaneChoice | null | undefined): boolean {
  return choice?.isLeftOut === true
}

/** Chooses the time zone for times without one. */
function ZoneChoice({ zone = 'UTC', onChange }: ZoneProps) {
  const [problem, setProblem] = useState<Message>()
  const zones = Intl.supportedValuesOf('timeZone')
  return (
    <>
      <label class="reading">
        <span>{t('import.zone')}</span>
        <select
          value={zone}
          onChange={event => {
            setProblem(undefined)
            onChange(event.currentTarget.value).catch((error: unknown) =>
              setProblem(explainError(error).message)
            )
          }}
        >
          {[...new Set([zone, 'UTC', ...zones])].map(name => (
            <option key={name} value={name}>
              {name.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      {problem !== undefined && <Alert>{problem}</Alert>}
    </>
  )
}

interface ZoneProps {
  readonly zone: string | undefined
  readonly onChange: (zone: string) => Promise<void>
}

/** Formats the period from the first to the last day. */
function formatPeriod(look: Import['look']): string {
  if (!look || look.from === null || look.to === null) return ''
  const [first, last] = [formatDay(look.from), formatDay(look.to)]
  return first === last ? first : `${first} – ${last}`
}
