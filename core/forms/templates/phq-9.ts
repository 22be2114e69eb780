/**
 * PHQ-9, in the translations that its makers publish: the French one is that for France, the German one is by Bernd Löwe. Developed by Robert L. Spitzer, Janet B. W. Williams, Kurt Kroenke and colleagues, with a grant
 * from Pfizer Inc. No permission is required to reproduce, translate, display or distribute it (https://www.phqscreeners.com). The note
 * about question 9 is ours.
 */
import type { Template } from './build.js'

export const phq9: Template = {
  id: 'phq-9',
  loinc: '44249-1',
  copyright:
    'Developed by Drs. Robert L. Spitzer, Janet B. W. Williams, Kurt Kroenke and colleagues, with an educational grant from Pfizer Inc. No permission required to reproduce, translate, display or distribute.',
  texts: {
    en: {
      title: 'PHQ-9',
      stem: 'Over the last 2 weeks, how often have you been bothered by any of the following problems?',
      questions: [
        'Little interest or pleasure in doing things',
        'Feeling down, depressed, or hopeless',
        'Trouble falling or staying asleep, or sleeping too much',
        'Feeling tired or having little energy',
        'Poor appetite or overeating',
        'Feeling bad about yourself – or that you are a failure or have let yourself or your family down',
        'Trouble concentrating on things, such as reading the newspaper or watching television',
        'Moving or speaking so slowly that other people could have noticed? Or the opposite – being so fidgety or restless that you have been moving around a lot more than usual',
        'Thoughts that you would be better off dead or of hurting yourself in some way'
      ],
      options: ['Not at all', 'Several days', 'More than half the days', 'Nearly every day'],
      difficulty: {
        question:
          'If you checked off any problems, how difficult have these problems made it for you to do your work, take care of things at home, or get along with other people?',
        options: ['Not difficult at all', 'Somewhat difficult', 'Very difficult', 'Extremely difficult']
      },
      note: 'Question 9 asks about thoughts of death and of hurting yourself. If you have such thoughts, talk to someone now: a person you trust, a doctor, a crisis line (findahelpline.com lists them by country) or, in an emergency, the emergency number, such as 112 or 911. Nobody sees your answers here unless you share them.'
    },
    de: {
      title: 'PHQ-9',
      stem: 'Wie oft fühlten Sie sich im Verlauf der letzten 2 Wochen durch die folgenden Beschwerden beeinträchtigt?',
      questions: [
        'Wenig Interesse oder Freude an Ihren Tätigkeiten',
        'Niedergeschlagenheit, Schwermut oder Hoffnungslosigkeit',
        'Schwierigkeiten ein- oder durchzuschlafen oder vermehrter Schlaf',
        'Müdigkeit oder Gefühl, keine Energie zu haben',
        'Verminderter Appetit oder übermäßiges Bedürfnis zu essen',
        'Schlechte Meinung von sich selbst; Gefühl, ein Versager zu sein oder die Familie enttäuscht zu haben',
        'Schwierigkeiten, sich auf etwas zu konzentrieren, z. B. beim Zeitunglesen oder Fernsehen',
        'Waren Ihre Bewegungen oder Ihre Sprache so verlangsamt, dass es auch anderen auffallen würde? Oder waren Sie im Gegenteil „zappelig“ oder ruhelos und hatten dadurch einen stärkeren Bewegungsdrang als sonst?',
        'Gedanken, dass Sie lieber tot wären oder sich Leid zufügen möchten'
      ],
      options: [
        'Überhaupt nicht',
        'An einzelnen Tagen',
        'An mehr als der Hälfte der Tage',
        'Beinahe jeden Tag'
      ],
      difficulty: {
        question:
          'Wenn eines oder mehrere der bisher in diesem Fragebogen beschriebenen Probleme bei Ihnen vorliegen, wie sehr haben diese Probleme es Ihnen erschwert, Ihre Arbeit zu tun, Ihren Haushalt zu regeln oder mit anderen Menschen zurecht zu kommen?',
        options: [
          'Überhaupt nicht erschwert',
          'Etwas erschwert',
          'Relativ stark erschwert',
          'Sehr stark erschwert'
        ]
      },
      note: 'Frage 9 fragt nach Gedanken an den Tod und daran, sich Leid zuzufügen. Wenn Sie solche Gedanken haben, sprechen Sie jetzt mit jemandem: mit einem Menschen, dem Sie vertrauen, einer Ärztin oder einem Arzt, einer Krisenstelle (findahelpline.com nennt sie nach Ländern) oder im Notfall über die Notrufnummer, etwa 112. Niemand sieht Ihre Antworten hier, solange Sie sie nicht teilen.'
    },
    fr: {
      title: 'PHQ-9',
      stem: 'Au cours des 2 dernières semaines, selon quelle fréquence avez-vous été gêné(e) par les problèmes suivants ?',
      questions: [
        'Peu d’intérêt ou de plaisir à faire les choses',
        'Être triste, déprimé(e) ou désespéré(e)',
        'Difficultés à s’endormir ou à rester endormi(e), ou dormir trop',
        'Se sentir fatigué(e) ou manquer d’énergie',
        'Avoir peu d’appétit ou manger trop',
        'Avoir une mauvaise opinion de soi-même, ou avoir le sentiment d’être nul(le), ou d’avoir déçu sa famille ou s’être déçu(e) soi-même',
        'Avoir du mal à se concentrer, par exemple, pour lire le journal ou regarder la télévision',
        'Bouger ou parler si lentement que les autres auraient pu le remarquer. Ou au contraire, être si agité(e) que vous avez eu du mal à tenir en place par rapport à d’habitude',
        'Penser qu’il vaudrait mieux mourir ou envisager de vous faire du mal d’une manière ou d’une autre'
      ],
      options: ['Jamais', 'Plusieurs jours', 'Plus de la moitié du temps', 'Presque tous les jours'],
      difficulty: {
        question:
          'Si vous avez coché au moins un des problèmes évoqués, à quel point ce(s) problème(s) a-t-il (ont-ils) rendu votre travail, vos tâches à la maison ou votre capacité à vous entendre avec les autres difficile(s) ?',
        options: [
          'Pas du tout difficile(s)',
          'Assez difficile(s)',
          'Très difficile(s)',
          'Extrêmement difficile(s)'
        ]
      },
      note: 'La question 9 porte sur des pensées de mort et l’idée de vous blesser. Si vous avez de telles pensées, parlez-en maintenant à quelqu’un : une personne de confiance, un médecin, une ligne d’écoute (findahelpline.com les indique par pays) ou, en cas d’urgence, le numéro d’urgence, comme le 112 ou le 911. Personne ne voit vos réponses ici tant que vous ne les partagez pas.'
    }
  }
}
