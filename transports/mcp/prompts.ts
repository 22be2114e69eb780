/**
 * Prompts: questions that users choose from a menu. The data is in the message already, so that small models, which call tools
 * badly, answer them as well. (docs/api/mcp.md#prompts)
 */
import { getDayStart, isZone, parseDate } from '../../schemas/zones.js'
import type { AssistantCalls } from './assistant-calls.js'
import { quoteText } from '../../core/errors.js'

interface Argument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** A call whose result is part of the message. */
interface DataCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly Argument[]
  readonly question: string
  readonly calls: (given: Given) => readonly DataCall[]
}

/** The arguments as given: all are texts. */
type Given = Readonly<Record<string, string | undefined>>

/** What clients see of a prompt. */
type ListedPrompt = Omit<Prompt, 'arguments' | 'calls' | 'question'> & {
  readonly arguments: Argument[]
}

/** The message of a prompt, or why there is none. */
type PromptResult = { readonly text: string } | { readonly problem: string }

const rules =
  'Use only the data below. Name days without data as missing, and do not guess what happened on them. ' +
  'Do not name causes, and give no medical advice.'

const zone: Argument = {
  name: 'zone',
  description: 'IANA time zone, such as "Europe/Zurich". Default: UTC',
  required: false
}
const describeDate = (name: string, description: string): Argument => ({ name, description, required: true })

const prompts: readonly Prompt[] = [
  {
    name: 'week',
    title: 'Summarise a week',
    description: 'What was usual in a week and what was not, with gaps, goals and nights',
    arguments: [
      {
        name: 'to',
        description: 'Last day of the week, such as 2026-03-29. Default: yesterday',
        required: false
      },
      zone
    ],
    question:
      'Summarise my week in a few sentences. Begin with what differs from the four weeks before ("position" is lower or higher), ' +
      'then goals and nights. "usual" is where about two of three days lie. Values are in the first unit of the measure, nights in seconds.',
    calls: ({ to, zone: given }) => [{ method: 'measures.week', params: { to, zone: given } }]
  },
  {
    name: 'compare_periods',
    title: 'Compare two periods',
    description: 'How the days of a measure differ between two ranges of dates',
    arguments: [
      { name: 'measure', description: 'ID of a measure, such as "weight" or "steps"', required: true },
      describeDate('firstFrom', 'First day of the first period, such as 2026-03-01'),
      describeDate('firstTo', 'Last day of the first period'),
      describeDate('secondFrom', 'First day of the second period'),
      describeDate('secondTo', 'Last day of the second period'),
      zone
    ],
    question:
      'Compare the second period with the first: typical values, spread, and how many days have data. ' +
      'Say if there are too few days to tell.',
    calls: ({ firstFrom, firstTo, measure, secondFrom, secondTo, zone: given }) =>
      [
        [firstFrom, firstTo],
        [secondFrom, secondTo]
      ].map(([from, to]) => ({ method: 'measures.days', params: { measure, from, to, zone: given } }))
  },
  {
    name: 'what_changed',
    title: 'What has changed',
    description: 'What has arrived since a time, and how the last week compares',
    arguments: [{ name: 'since', description: 'A date, such as 2026-03-29', required: true }, zone],
    question:
      'Say what has arrived since then, by measure and source, and what differed in the last week from the four weeks before.',
    calls: ({ since, zone: given }) => [
      { method: 'measures.facts', params: { createdSince: toTime(since, given) } },
      { method: 'measures.week', params: { zone: given } }
    ]
  }
]

/** Maximum length of an argument, in characters. */
const maxLength = 200

/** Lists the prompts. */
export function listPrompts(): ListedPrompt[] {
  return prompts.map(({ calls: _calls, question: _question, ...prompt }) => ({
    ...prompt,
    arguments: [...prompt.arguments]
  }))
}

/**
 * Returns the message of a prompt, with the data that the access may read. Returns the problem instead if the
 * prompt is unknown, an argument is missing or too long, or a call is refused.
 */
export async function writePrompt(calls: AssistantCalls, name: string, given: Given): Promise<PromptResult> {
  const prompt = prompts.find(each => each.name === name)
  if (!prompt) return { problem: `Unknown prompt ${quoteText(name)}` }
  for (const { name: argument, required } of prompt.arguments) {
    const value = given[argument] ?? ''
    if (required && value === '') return { problem: `The argument "${argument}" is missing` }
    if (value.length > maxLength) return { problem: `The argument "${argument}" is too long` }
  }
  const parts = [prompt.question, rules]
  for (const { method, params } of prompt.calls(given)) {
    const named = Object.entries(params).filter(([, value]) => value !== undefined && value !== '')
    const result = await calls.call(method, Object.fromEntries(named))
    if (!result.ok) return { problem: `${result.error.id}: ${result.error.message}` }
    parts.push(`${method} ${JSON.stringify(Object.fromEntries(named))}\n${JSON.stringify(result.value)}`)
  }
  return { text: parts.join('\n\n') }
}

/** Returns when a date begins, in seconds; other texts as they are, which the method refuses, as the next one does unknown zones. */
function toTime(text = '', zoneName?: string): unknown {
  const day = parseDate(text)
  return day === undefined ? text : getDayStart(isZone(zoneName) ? zoneName : 'UTC', day)
}
