package org.harmonyldp.device;

/** A round of a survey, or of a training. */
public final class SurveyRound {
    private final String survey;
    private final String round;

    SurveyRound(String survey, String round) {
        this.survey = survey;
        this.round = round;
    }

    /** The name of the survey, or of the training. */
    public String getSurvey() {
        return survey;
    }

    /** The label of the round. */
    public String getRound() {
        return round;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SurveyRound && survey.equals(((SurveyRound) other).survey)
                && round.equals(((SurveyRound) other).round);
    }

    @Override
    public int hashCode() {
        return 31 * survey.hashCode() + round.hashCode();
    }

    @Override
    public String toString() {
        return survey + " " + round;
    }
}
