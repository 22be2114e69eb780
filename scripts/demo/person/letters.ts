/** Letters from the doctor. */
import type { Day } from './days.js'
import { createEvent, type EventWithFile } from './event-params.js'
import { createPdf } from './pdf.js'

interface Letter {
  /** Number of days before the last day. */
  readonly ago: number
  readonly title: string
  readonly text: readonly string[]
}

/** Name of the practice, in letters and as the name of its access. */
export const doctorName = 'Dr. Marti'
const afternoon = 15.4 * 3600

const letters: readonly Letter[] = [
  {
    ago: 301,
    title: 'Annual check-up',
    text: [
      'Thank you for your visit. Heart and lungs are without findings, and so is the blood count.',
      'Your blood pressure was 139/89 mmHg, a little high. Please measure it at home two or three times a week, in the morning and sitting, before coffee.',
      'Losing a few kilograms would help. Running is a good idea; increase it slowly.'
    ]
  },
  {
    ago: 190,
    title: 'Blood pressure',
    text: [
      'The values that you have shared with me are still above 135/85 mmHg on average.',
      'We begin with ramipril, 2.5 mg in the morning. A dry cough would be a reason to call me.',
      'Please share your values until next March, so that we can see the effect together.'
    ]
  },
  {
    ago: 96,
    title: 'Control of blood pressure',
    text: [
      'With 2.5 mg of ramipril your values are about 126/81 mmHg on average. That is where we want them.',
      'Please go on as before. The kidney values of the laboratory are normal.'
    ]
  },
  {
    ago: 33,
    title: 'Glucose',
    text: [
      'In the two weeks in which you wore the sensor, values lay between 4.7 and 8.4 mmol/l, with short peaks after meals.',
      'That is normal. No further measurements are needed.'
    ]
  },
  {
    ago: 10,
    title: 'Cold',
    text: [
      'As discussed on the phone: with a temperature below 37.5 degrees for two days you may run again, slowly at first.',
      'The resting heart rate is a good guide: wait until it is back to its usual value.'
    ]
  }
]

/** Returns the letters received on a day. */
export function createLetters(day: Day): EventWithFile[] {
  return letters
    .filter(({ ago }) => ago === day.ago)
    .map(({ text, title }) => {
      const page = createPdf([
        `${doctorName}: ${title}`,
        day.date,
        ...text,
        `With kind regards, ${doctorName}`
      ])
      const name = `${day.date} ${title}.pdf`
      return {
        fact: createEvent(day, 'letters', 'file/attached', day.from + afternoon, { description: title }),
        file: { name, type: 'application/pdf', bytes: page }
      }
    })
}
