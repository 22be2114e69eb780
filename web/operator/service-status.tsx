/** The state of the service: health, backups, queues, space, calls, problems, versions. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { formatSize } from '../app/parts/format-duration.js'
import { formatDateTime } from '../app/parts/format-time.js'
import { t } from '../language.js'
import { Action } from '../parts/action.js'
import { Alert } from '../parts/form.js'
import { CallCharts } from './call-charts.js'
import { useOperatorClient, useResource } from './operator-client.js'
import { GrowthCharts } from './growth-charts.js'
import {
  fileKinds,
  queueNames,
  type Backups,
  type Overview,
  type Problem,
  type StorageSpace,
  type ServiceState
} from './model.js'

/** Milliseconds between polls of the state; shorter while a measurement or backup is running. */
const pollMs = 15_000
const shortPollMs = 1000

/** Shows the state of the service, read again at intervals while the page is visible. */
export function ServiceStatus({ overview }: { readonly overview: Overview }) {
  const { reload, problem, value } = useResource<{ state: ServiceState }>('state')
  const isMeasured = value?.state.space !== null && value?.state.backups?.isRunning !== true
  useEffect(() => {
    const timer = setInterval(
      () => {
        if (document.visibilityState === 'visible') reload()
      },
      isMeasured ? pollMs : shortPollMs
    )
    return () => clearInterval(timer)
  }, [reload, isMeasured])
  const state = value?.state
  return (
    <>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {state?.alarms.map(({ text }) => (
        <Alert key={text}>
          <span lang="en">{text}</span>
        </Alert>
      ))}
      {state && (
        <div class="cards">
          <Card title={t('operator.health')}>
            <ul class="checks">
              {(['running', 'platform', 'disk', 'cluster'] as const)
                .filter(name => state.checks[name] !== undefined)
                .map(name => (
                  <li key={name} class={state.checks[name] ? 'good' : 'bad'}>
                    {t(`operator.check.${name}.${state.checks[name] ? 'good' : 'bad'}`)}
                  </li>
                ))}
            </ul>
            <Facts
              of={[
                [t('operator.since'), formatDateTime(state.started)],
                [t('operator.memory'), formatSize(state.memory)],
                [t('operator.connections'), `${state.connections} / ${state.sockets}`]
              ]}
            />
          </Card>
          <Card title={t('operator.backups')}>
            <BackupFacts backups={state.backups} onStart={reload} />
          </Card>
          <Card title={t('operator.waiting')}>
            <Facts
              of={queueNames.map(name => [t(`operator.wait.${name}`), String(state[`${name}Waiting`])])}
            />
            {!state.hasMailServer && <p class="hint">{t('operator.noMail')}</p>}
          </Card>
          <Card title={t('operator.space')}>
            {state.space ? <SpaceFacts space={state.space} /> : <p>{t('operator.measuring')}</p>}
          </Card>
          <Card title={t('operator.versions')}>
            <Facts
              of={[
                ['Coffer', overview.versions.coffer],
                ['API', overview.versions.api],
                ['Node.js', overview.versions.node],
                ['SQLite', overview.versions.sqlite]
              ]}
            />
          </Card>
        </div>
      )}
      <CallCharts />
      <GrowthCharts />
      {state && <Problems problems={state.problems} />}
    </>
  )
}

function Card({ children, title }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Facts({ of }: { readonly of: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="num">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface BackupProps {
  readonly backups: Backups | null
  /** Called when a backup has been started. */
  readonly onStart: () => void
}

/** Shows the last and next backup, and starts one. Says so if there are no automatic backups. */
function BackupFacts({ backups, onStart }: BackupProps) {
  const client = useOperatorClient()
  if (!backups) return <p>{t('operator.noBackups')}</p>
  const { failures, isRunning, isVerified, next, problem, runs, succeeded } = backups
  return (
    <>
      {failures > 0 && (
        <Alert>{t('operator.backupFailed', { count: failures, problem: problem ?? '' })}</Alert>
      )}
      {isRunning && <p>{t('operator.backupRuns')}</p>}
      <Facts
        of={[
          [
            t('operator.lastBackup'),
            succeeded === undefined ? t('operator.never') : formatDateTime(succeeded)
          ],
          [t('operator.nextBackup'), next === undefined ? t('operator.unknown') : formatDateTime(next)],
          [t('operator.verified'), t(isVerified ? 'operator.yes' : 'operator.no')]
        ]}
      />
      {!isRunning && (
        <p>
          <Action
            onClick={async () => {
              await client.call('POST', 'backup', {})
              onStart()
            }}
          >
            {t('operator.backUp')}
          </Action>
        </p>
      )}
      {runs.length > 0 && (
        <>
          <h3 id="runs">{t('operator.lastBackups')}</h3>
          <ul class="runs" aria-labelledby="runs">
            {runs.map(run => (
              <li key={run.time}>
                {formatDateTime(run.time)}:{' '}
                {run.problem === null ? t('operator.backupSucceeded') : <span lang="en">{run.problem}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** Shows the space by kind of file, and when it was measured. */
function SpaceFacts({ space }: { readonly space: StorageSpace }) {
  return (
    <>
      <Facts
        of={[
          ...fileKinds.map(kind => [t(`operator.kind.${kind}`), formatSize(space[kind])] as const),
          [
            t('operator.free'),
            t('operator.freeOf', { free: formatSize(space.free), total: formatSize(space.total) })
          ]
        ]}
      />
      <p class="hint">{t('operator.measured', { time: formatDateTime(space.measured) })}</p>
    </>
  )
}

/** Lists the problems that were logged. */
function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <section class="card">
      <h2>{t('operator.problems')}</h2>
      {problems.length === 0 && <p>{t('operator.noProblems')}</p>}
      <ul class="rows">
        {problems.map(({ cause, count, errorId, last, level, message, method }) => (
          <li key={`${level} ${message} ${method} ${errorId} ${cause}`} lang="en">
            <span>
              <span class={level === 'error' ? 'badge bad' : 'badge'}>{t(`operator.level.${level}`)}</span>{' '}
              {message}
            </span>
            <span class="soft">{[method, errorId, cause].filter(Boolean).join(', ')}</span>
            <span class="num soft">{t('operator.times', { count, time: formatDateTime(last) })}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
