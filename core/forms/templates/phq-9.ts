/**
 * PHQ-9, in the translations of its makers. Developed by Robert L. Spitzer, Janet B. W. Williams, Kurt Kroenke and colleagues, with a grant
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
      note: 'Question 9 asks about thoughts of death and of hurting yourself. If you have such thoughts, talk to someone now: a person you trust, a doctor, a crisis line (findahelpline.com lists them by country) or, in an emergency, the emergency number, such as 112 or 911. Nobody sees your answers here unless you share them.'
    },
    de: {
      title: 'PHQ-9',
      stem: 'Wie oft fühlten Sie sich im Verlauf der letzten 2 Wochen durch die folgenden Beschwerden beeinträchtigt?',
      questions: [
        'Wenig Interesse oder Freude an Ihren Tätigkeiten',
        'Niedergeschlagenheit, Schwermut oder Hoffnungslosigkeit',
        'Schwierigkeiten, ein- oder durchzuschlafen, oder vermehrter Schlaf',
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
      note: 'Frage 9 fragt nach Gedanken an den Tod und daran, sich Leid zuzufügen. Wenn Sie solche Gedanken haben, sprechen Sie jetzt mit jemandem: mit einem Menschen, dem Sie vertrauen, einer Ärztin oder einem Arzt, einer Krisenstelle (findahelpline.com nennt sie nach Ländern) oder im Notfall über die Notrufnummer, etwa 112. Niemand sieht Ihre Antworten hier, solange Sie sie nicht teilen.'
    },
    fr: {
      title: 'PHQ-9',
      stem: 'Au cours des deux dernières semaines, à quelle fréquence avez-vous été dérangé(e) par les problèmes suivants ?',
      questions: [
        'Peu d’intérêt ou de plaisir à faire des choses',
        'Se sentir triste, déprimé(e) ou désespéré(e)',
        'Difficultés à s’endormir ou à rester endormi(e), ou trop dormir',
        'Se sentir fatigué(e) ou avoir peu d’énergie',
        'Peu d’appétit ou trop manger',
        'Mauvaise perception de vous-même – ou vous pensez que vous êtes un perdant ou que vous n’avez pas satisfait vos propres attentes ou celles de votre famille',
        'Difficultés à se concentrer sur des choses telles que lire le journal ou regarder la télévision',
        'Vous bougez ou parlez si lentement que les autres personnes ont pu le remarquer. Ou au contraire – vous êtes si agité(e) que vous bougez beaucoup plus que d’habitude',
        'Vous avez pensé que vous seriez mieux mort(e) ou pensé à vous blesser d’une façon ou d’une autre'
      ],
      options: ['Jamais', 'Plusieurs jours', 'Plus de sept jours', 'Presque tous les jours'],
      note: 'La question 9 porte sur des pensées de mort et l’idée de vous blesser. Si vous avez de telles pensées, parlez-en maintenant à quelqu’un : une personne de confiance, un médecin, une ligne d’écoute (findahelpline.com les indique par pays) ou, en cas d’urgence, le numéro d’urgence, comme le 112 ou le 911. Personne ne voit vos réponses ici tant que vous ne les partagez pas.'
    }
  }
}
