/// What the machine does, for every state and event: state, event, phase afterwards, and what the machine wants.
///
/// A pair that is not listed leaves the phase as it is and has no effect. `fresh`, `rested` and `begun` are phase idle: before the
/// first byte, between two requests, and with a piece of a head. The time limits are 10 s for a request, 75 s between two and 3 s
/// for closing.
enum HTTPConnectionTable {
    static let text = """
        fresh     | head         | reading   |
        fresh     | tooLarge     | reading   | refuse bodyTooLarge
        fresh     | patient      | reading   | sendContinue
        fresh     | handshake    | upgrading |
        fresh     | answerLater  | answering |
        fresh     | hold         | holding   |
        fresh     | answer       | idle      | write direct
        fresh     | lastAnswer   | closing   | write queued
        fresh     | after10      | idle      | close
        fresh     | after30      | idle      | close
        fresh     | after75      | idle      | close
        fresh     | slowDownload | idle      | close
        fresh     | drain        | idle      | close
        fresh     | giveWay      | closing   | closeAtOnce
        fresh     | leave        | ended     | leave
        fresh     | syntax       | idle      | refuse malformed
        fresh     | overflow     | idle      | refuse headTooLarge
        fresh     | broken       | idle      | close
        fresh     | bytes        | idle      | readPlain
        fresh     | fieldBytes   | idle      | startParser
        fresh     | parserBytes  | idle      | feedParser
        fresh     | parts        | idle      | takePart
        fresh     | backlog      | idle      | pause
        rested    | head         | reading   |
        rested    | tooLarge     | reading   | refuse bodyTooLarge
        rested    | patient      | reading   | sendContinue
        rested    | handshake    | upgrading |
        rested    | answerLater  | answering |
        rested    | hold         | holding   |
        rested    | answer       | idle      | write direct
        rested    | lastAnswer   | closing   | write queuedThenClose
        rested    | after75      | idle      | close
        rested    | slowDownload | idle      | close
        rested    | drain        | idle      | close
        rested    | giveWay      | closing   | closeAtOnce
        rested    | leave        | ended     | leave
        rested    | syntax       | idle      | refuse malformed
        rested    | overflow     | idle      | refuse headTooLarge
        rested    | broken       | idle      | close
        rested    | bytes        | idle      | readPlain
        rested    | fieldBytes   | idle      | startParser
        rested    | parserBytes  | idle      | feedParser
        rested    | parts        | idle      | takePart
        rested    | backlog      | idle      | pause
        begun     | head         | reading   |
        begun     | tooLarge     | reading   | refuse bodyTooLarge
        begun     | patient      | reading   | sendContinue
        begun     | handshake    | upgrading |
        begun     | answerLater  | answering |
        begun     | hold         | holding   |
        begun     | answer       | idle      | write direct
        begun     | lastAnswer   | closing   | write queued
        begun     | after10      | idle      | refuse tooSlow
        begun     | after30      | idle      | refuse tooSlow
        begun     | after75      | idle      | refuse tooSlow
        begun     | slowDownload | idle      | close
        begun     | download75   | idle      | refuse tooSlow
        begun     | drain        | idle      | close
        begun     | giveWay      | closing   | closeAtOnce
        begun     | leave        | ended     | leave
        begun     | syntax       | idle      | refuse malformed
        begun     | overflow     | idle      | refuse headTooLarge
        begun     | broken       | idle      | close
        begun     | bytes        | idle      | readPlain
        begun     | fieldBytes   | idle      | startParser
        begun     | parserBytes  | idle      | feedParser
        begun     | parts        | idle      | takePart
        begun     | backlog      | idle      | pause
        reading   | body         | reading   | append
        reading   | overrun      | reading   | refuse bodyTooLarge
        reading   | noRoom       | reading   | refuse tooManyBodies
        reading   | framing      | reading   | refuse excessiveFraming
        reading   | end          | reading   | handle
        reading   | answerLater  | answering |
        reading   | hold         | holding   |
        reading   | answer       | idle      | write direct
        reading   | lastAnswer   | closing   | write queued
        reading   | after10      | reading   | refuse tooSlow
        reading   | after30      | reading   | refuse tooSlow
        reading   | after75      | reading   | refuse tooSlow
        reading   | slowDownload | reading   | close
        reading   | slowUpload   | reading   | refuse tooSlow
        reading   | download75   | reading   | refuse tooSlow
        reading   | giveWay      | closing   | closeAtOnce
        reading   | leave        | ended     | leave
        reading   | syntax       | reading   | refuse malformed
        reading   | overflow     | reading   | refuse headTooLarge
        reading   | broken       | reading   | close
        reading   | bytes        | reading   | readPlain
        reading   | fieldBytes   | reading   | startParser
        reading   | parserBytes  | reading   | feedParser
        reading   | parts        | reading   | takePart
        reading   | backlog      | reading   | pause
        upgrading | end          | upgrading | upgrade
        upgrading | answerLater  | answering |
        upgrading | hold         | holding   |
        upgrading | answer       | idle      | write direct
        upgrading | lastAnswer   | closing   | write queued
        upgrading | after10      | upgrading | refuse tooSlow
        upgrading | after30      | upgrading | refuse tooSlow
        upgrading | after75      | upgrading | refuse tooSlow
        upgrading | slowDownload | upgrading | close
        upgrading | download75   | upgrading | refuse tooSlow
        upgrading | leave        | ended     | leave
        upgrading | syntax       | upgrading | close
        upgrading | overflow     | upgrading | close
        upgrading | broken       | upgrading | close
        upgrading | bytes        | upgrading | readPlain
        upgrading | fieldBytes   | upgrading | startParser
        upgrading | parserBytes  | upgrading | feedParser
        upgrading | parts        | upgrading | takePart
        upgrading | backlog      | upgrading | pause
        answering | hold         | holding   |
        answering | answer       | idle      | write direct
        answering | lastAnswer   | closing   | write queuedThenClose
        answering | after30      | answering | refuse noAnswer
        answering | after75      | answering | refuse noAnswer
        answering | slowDownload | answering | close
        answering | download75   | answering | refuse noAnswer
        answering | leave        | ended     | leave
        answering | syntax       | answering | close
        answering | overflow     | answering | close
        answering | broken       | answering | close
        answering | backlog      | answering | pause
        holding   | answerLater  | answering |
        holding   | answer       | idle      | write direct
        holding   | lastAnswer   | closing   | write queuedThenClose
        holding   | after3       | holding   | sweepExchange 3
        holding   | after10      | holding   | sweepExchange 10
        holding   | after30      | holding   | sweepExchange 30
        holding   | after75      | holding   | sweepExchange 75
        holding   | slowDownload | holding   | close
        holding   | slowUpload   | holding   | sweepExchange 1
        holding   | download75   | holding   | sweepExchange 75
        holding   | drain        | holding   | expireExchange
        holding   | leave        | ended     | leave
        holding   | syntax       | holding   | close
        holding   | overflow     | holding   | close
        holding   | broken       | holding   | close
        holding   | backlog      | holding   | pause
        closing   | after3       | closing   | close
        closing   | after10      | closing   | close
        closing   | after30      | closing   | close
        closing   | after75      | closing   | close
        closing   | slowDownload | closing   | close
        closing   | giveWay      | closing   | closeAtOnce
        closing   | leave        | ended     | leave
        closing   | broken       | closing   | close
        closing   | bytes        | closing   | drop
        closing   | fieldBytes   | closing   | drop
        closing   | parserBytes  | closing   | drop
        closing   | parts        | closing   | drop
        closing   | backlog      | closing   | pause
        ended     | slowDownload | ended     | close
        ended     | broken       | ended     | close
        ended     | backlog      | ended     | pause
        """
}
