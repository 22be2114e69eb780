/** Rules: conditions on the data of an account, and which channels get a message when they are met. (docs/api/rules.md) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, Name, Timestamp, tracking } from './scalars.js'

const MeasureName = Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 64 })
const Unit = Type.Optional(Type.String({ pattern: '^[a-z0-9-]+/[a-z0-9-]+$', maxLength: 256 }))
const Level = Type.Number({ minimum: -1e12, maximum: 1e12 })
const Amount = Type.Number({ exclusiveMinimum: 0, maximum: 1e12 })
/** A time of day, as `22:00`. */
const TimeOfDay = Type.String({ pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$' })
/** The number of a local day, as in `schemas/zones.ts`. */
const LocalDay = Type.Integer({ minimum: -100_000, maximum: 1_000_000 })
const hour = 3600
const day = 86_400
const Hold = Type.Optional(Type.Integer({ minimum: 60, maximum: 7 * day }))
const Silence = Type.Integer({ minimum: 60, maximum: 366 * day })
/** The streams whose data counts; all that lists contain by default, which are those of the account, without copies of other people's. */
const StreamIds = Type.Optional(Type.Array(Identifier, { minItems: 1, maxItems: 20 }))

const threshold = {
  measure: MeasureName,
  streamIds: StreamIds,
  /** An event type; by default the first of the measure. */
  unit: Unit,
  value: Level,
  /** The value from which the condition is over; by default `value`. */
  recoverAt: Type.Optional(Level),
  /** Seconds for which it has to hold. */
  for: Hold
}

/** The conditions, by kind. */
export const Condition = Type.Union([
  Type.Object({ kind: Type.Literal('above'), ...threshold }, closed),
  Type.Object({ kind: Type.Literal('below'), ...threshold }, closed),
  Type.Object(
    {
      kind: Type.Literal('outside'),
      measure: MeasureName,
      streamIds: StreamIds,
      range: Type.Enum(['plausible', 'usual']),
      for: Hold
    },
    closed
  ),
  Type.Object(
    {
      kind: Type.Literal('changing'),
      measure: MeasureName,
      streamIds: StreamIds,
      unit: Unit,
      by: Amount,
      within: Type.Integer({ minimum: 60, maximum: day }),
      direction: Type.Enum(['up', 'down'])
    },
    closed
  ),
  Type.Object(
    { kind: Type.Literal('missing'), measure: MeasureName, streamIds: StreamIds, for: Silence },
    closed
  ),
  Type.Object({ kind: Type.Literal('missing'), streamId: Identifier, for: Silence }, closed),
  Type.Object({ kind: Type.Literal('missing'), connectionId: Identifier, for: Silence }, closed),
  Type.Object(
    {
      kind: Type.Literal('total'),
      measure: MeasureName,
      streamIds: StreamIds,
      unit: Unit,
      atLeast: Amount,
      by: TimeOfDay
    },
    closed
  ),
  Type.Object(
    {
      kind: Type.Literal('total'),
      measure: MeasureName,
      streamIds: StreamIds,
      unit: Unit,
      atMost: Amount,
      by: TimeOfDay
    },
    closed
  ),
  Type.Object(
    {
      kind: Type.Literal('place'),
      direction: Type.Enum(['enters', 'leaves']),
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      /** Metres. */
      radius: Type.Number({ minimum: 20, maximum: 1e6 })
    },
    closed
  ),
  Type.Object(
    {
      kind: Type.Literal('words'),
      anyOf: Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }), {
        minItems: 1,
        maxItems: 20
      }),
      streamIds: StreamIds
    },
    closed
  ),
  Type.Object({ kind: Type.Literal('arrived'), accessId: Identifier }, closed),
  Type.Object({ kind: Type.Literal('arrived'), connectionId: Identifier }, closed),
  Type.Object({ kind: Type.Literal('looked'), accessId: Type.Optional(Identifier) }, closed)
])
export type Condition = Static<typeof Condition>

/** Conditions of one kind. */
export type ConditionOf<K extends Condition['kind']> = Extract<Condition, { readonly kind: K }>

/** The members of a rule that callers give, besides the condition. */
export const ruleFields = {
  name: Name,
  isActive: Type.Boolean(),
  channelIds: Type.Array(Identifier, { maxItems: 20 }),
  urgency: Type.Enum(['low', 'normal', 'high']),
  /** Whether messages tell the name of the rule and what has happened. */
  showsValues: Type.Boolean(),
  tellsRecovery: Type.Boolean(),
  /** The text of messages. */
  text: Type.String({ maxLength: 500 }),
  /** Days on which messages are sent: 1 (Monday) to 7. */
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { minItems: 1, maxItems: 7 }),
  /** When no messages are sent, in the zone of the rule; may include midnight. */
  quietHours: Type.Object({ from: TimeOfDay, to: TimeOfDay }, closed),
  /** Tells during quiet hours. Only with urgency `high`. */
  evenWhenQuiet: Type.Boolean(),
  /** Name of a time zone. */
  zone: Type.String({ minLength: 1, maxLength: 64 }),
  /** Minimum number of seconds between two messages. */
  atMostEvery: Type.Integer({ minimum: 60, maximum: 30 * day }),
  /** Seconds after which the message of a firing that has not been acknowledged is sent again. */
  remindAfter: Type.Integer({ minimum: 300, maximum: 7 * day })
}

/**
 * Why a rule cannot be evaluated: its access has ended, may not read what the rule watches, the measure does not exist, or
 * there is no range for `outside`.
 */
export const RuleProblem = Type.Enum(['access-ended', 'forbidden', 'unknown-measure', 'no-range'])
export type RuleProblem = Static<typeof RuleProblem>

/** What callers see of the state. */
const ShownState = Type.Object(
  {
    isFiring: Type.Boolean(),
    /** When the condition was met for the last time, and when it was over. */
    firedAt: Type.Optional(Timestamp),
    recoveredAt: Type.Optional(Timestamp),
    /** When the last message was sent. */
    toldAt: Type.Optional(Timestamp),
    /** When the next message will be sent: after the quiet hours, for example. */
    tellAt: Type.Optional(Timestamp),
    /** True while it fires and has not been acknowledged. */
    isOpen: Type.Optional(Type.Boolean()),
    /** When the last firing was acknowledged, and the access that did so. */
    acknowledgedAt: Type.Optional(Timestamp),
    acknowledgedBy: Type.Optional(Type.String({ maxLength: 1000 })),
    problem: Type.Optional(RuleProblem)
  },
  closed
)

/** A rule as stored. */
export const StoredRuleBody = Type.Object(
  {
    id: Identifier,
    ...ruleFields,
    text: Type.Optional(ruleFields.text),
    days: Type.Optional(ruleFields.days),
    quietHours: Type.Optional(ruleFields.quietHours),
    remindAfter: Type.Optional(ruleFields.remindAfter),
    condition: Condition,
    /** The access that created it: it has to be able to read what the rule watches. */
    accessId: Identifier,
    ...tracking
  },
  closed
)
export type Rule = Static<typeof StoredRuleBody>

/** A rule as shown. */
export const PublicRule = Type.Object({ ...StoredRuleBody.properties, state: ShownState }, closed)
export type PublicRule = Static<typeof PublicRule>

/** How far a rule has been evaluated. Times in seconds. */
export const RuleState = Type.Object(
  {
    ...ShownState.properties,
    /** When the rule was created, activated, or got another condition: older data does not count. */
    activeFrom: Timestamp,
    /** When the rule was evaluated for the last time. */
    evaluatedTo: Timestamp,
    /** Time of the last reading. */
    seenTo: Type.Optional(Timestamp),
    /** Modification time of the last event. */
    modifiedTo: Type.Optional(Timestamp),
    /** Since when the condition holds, if it has not held long enough. */
    holdsSince: Type.Optional(Timestamp),
    /** How often it has fired. */
    episode: Type.Integer({ minimum: 0 }),
    /** The last episode with a message. */
    toldEpisode: Type.Optional(Type.Integer({ minimum: 0 })),
    /** How often the message of the last episode was repeated. */
    repeats: Type.Optional(Type.Integer({ minimum: 0 })),
    /** For places, true once a position is known. */
    isPlaced: Type.Optional(Type.Boolean()),
    /** For totals, the local day that was evaluated, and the day for which the rule was decided. */
    day: Type.Optional(LocalDay),
    checkedDay: Type.Optional(LocalDay),
    /** The time of the reading, or the id of the event, that has caused the last episode. */
    cause: Type.Optional(Type.Union([Timestamp, Identifier])),
    /** The ids of the events before it that the same message is about, the last ones first, while it waits. */
    others: Type.Optional(Type.Array(Identifier)),
    /** The number that has caused it. */
    value: Type.Optional(Type.Number())
  },
  closed
)
export type RuleState = Static<typeof RuleState>

/** Seconds after which a reading is too old to cause a message, unless it has to hold longer. */
export const maxLag = hour / 4
