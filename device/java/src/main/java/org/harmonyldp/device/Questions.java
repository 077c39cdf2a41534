package org.harmonyldp.device;

import java.util.List;
import java.util.Map;

/** What a survey, or a step of a training, asks of an app's record. */
interface Questions {
    /** Everything that the record must tell. */
    List<Attribute> needs();

    /** The answers to what the record told: for each attribute of the survey, one a part; NaN where one is drawn. */
    double[][] answers(Map<String, Object> told, RandomBytes random);
}
