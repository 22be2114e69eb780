/** Receives the webhook of Sleep as Android. (https://docs.sleep.urbandroid.org/services/custom_webhooks.html) */
import { fail } from '../../../core/errors.js'
import { getText } from '../../../imports/formats/json-files.js'
import type { Dialect, ReceivedRecord } from '../dialect.js'
import { parseJsonObject, ReadingBuilder } from '../reading-builder.js'

/** Longest night, in seconds: tracking that was stopped later had been forgotten. */
const maxNight = 24 * 3600

/** Events that mark a moment, and what they say. */
const marks: ReadonlySet<string> = new Set([
  'alarm_alert_start',
  'alarm_alert_dismiss',
  'alarm_skip_next',
  'alarm_snooze_clicked',
  'alarm_snooze_canceled',
  'before_alarm',
  'before_smart_period',
  'smart_period',
  'rem',
  'show_skip_next_alarm',
  'time_to_bed_alarm_alert',
  'awake',
  'not_awake',
  'light_sleep',
  'deep_sleep',
  'apnea_alarm',
  'antisnoring',
  'sound_event_snore',
  'sound_event_talk',
  'sound_event_cough',
  'sound_event_baby',
  'sound_event_laugh',
  'lullaby_start',
  'lullaby_stop',
  'lullaby_volume_down',
  'sleep_tracking_paused',
  'sleep_tracking_resumed'
])
/** Longest delay between a request and what it reports, in seconds. */
const maxDelay = 48 * 3600

export const sleepAsAndroid: Dialect = {
  id: 'sleep-as-android',
  name: 'Sleep as Android',
  hasTokenInUrl: true,
  read({ body, connection, now }) {
    const message = parseJsonObject(body)
    const event =
      getText(message, 'event') ?? fail('invalid-request-structure', 'The body must have a text "event"')
    const reading = new ReadingBuilder()
    reading.received++
    const time =
      findTime(
        [1, 2, 3].map(number => getText(message, `value${number}`)),
        now
      ) ?? now
    const night: ReceivedRecord = {
      kind: event,
      source: connection.name,
      type: 'sleep/analysis',
      stream: 'Sleep',
      time,
      isEvent: true
    }
    if (event === 'sleep_tracking_started')
      reading.add({ ...night, duration: null, content: { analysis: 'inBed' }, identity: 'tracking' })
    else if (event === 'sleep_tracking_stopped')
      reading.add({ ...night, content: { analysis: 'inBed' }, identity: 'tracking', endsOngoing: maxNight })
    else if (marks.has(event))
      reading.add({
        ...night,
        type: 'note/txt',
        stream: 'Events of nights',
        content: event.replaceAll('_', ' '),
        ...toValues(message)
      })
    else reading.skip(event)
    return reading
  },
  answer: () => ({ status: 200, body: { status: 'ok' } })
}

/** Returns the first value that is a time (in milliseconds) shortly before the request, converted to seconds. */
function findTime(values: readonly (string | undefined)[], now: number): number | undefined {
  for (const text of values) {
    const time = /^\d{12,14}$/.test(text ?? '') ? Number(text) / 1000 : NaN
    if (time <= now + 60 && time >= now - maxDelay) return time
  }
  return undefined
}

function toValues(message: Readonly<Record<string, unknown>>): Pick<ReceivedRecord, 'clientData'> {
  const values = ['value1', 'value2', 'value3'].flatMap(name => getText(message, name) ?? [])
  return values.length === 0 ? {} : { clientData: { 'sleep-as-android:values': values } }
}
