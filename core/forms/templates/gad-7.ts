/**
 * GAD-7, in the translations that its makers publish: the French one is that for France, the German one is by Bernd Löwe. Frequencies and
 * the question on difficulty are worded as in PHQ-9: only the English original has that question, too. Developed by Robert L. Spitzer, Janet B. W. Williams, Kurt Kroenke and colleagues, with a grant
 * from Pfizer Inc. No permission is required to reproduce, translate, display or distribute it (https://www.phqscreeners.com).
 */
import type { Template } from './build.js'
import { phq9 } from './phq-9.js'

const { copyright, texts } = phq9

export const gad7: Template = {
  id: 'gad-7',
  loinc: '69737-5',
  copyright,
  texts: {
    en: {
      title: 'GAD-7',
      stem: texts.en.stem,
      options: texts.en.options,
      difficulty: texts.en.difficulty,
      questions: [
        'Feeling nervous, anxious, or on edge',
        'Not being able to stop or control worrying',
        'Worrying too much about different things',
        'Trouble relaxing',
        'Being so restless that it is hard to sit still',
        'Becoming easily annoyed or irritable',
        'Feeling afraid as if something awful might happen'
      ]
    },
    de: {
      title: 'GAD-7',
      stem: texts.de.stem,
      options: texts.de.options,
      difficulty: texts.de.difficulty,
      questions: [
        'Nervosität, Ängstlichkeit oder Anspannung',
        'Nicht in der Lage sein, Sorgen zu stoppen oder zu kontrollieren',
        'Übermäßige Sorgen bezüglich verschiedener Angelegenheiten',
        'Schwierigkeiten zu entspannen',
        'Rastlosigkeit, so dass Stillsitzen schwer fällt',
        'Schnelle Verärgerung oder Gereiztheit',
        'Gefühl der Angst, so als würde etwas Schlimmes passieren'
      ]
    },
    fr: {
      title: 'GAD-7',
      stem: texts.fr.stem,
      options: texts.fr.options,
      difficulty: texts.fr.difficulty,
      questions: [
        'Un sentiment de nervosité, d’anxiété ou de tension',
        'Une incapacité à arrêter de s’inquiéter ou à contrôler ses inquiétudes',
        'Une inquiétude excessive à propos de différentes choses',
        'Des difficultés à se détendre',
        'Une agitation telle qu’il est difficile à tenir en place',
        'Une tendance à être facilement contrarié(e) ou irritable',
        'Un sentiment de peur comme si quelque chose de terrible risquait de se produire'
      ]
    }
  }
}
