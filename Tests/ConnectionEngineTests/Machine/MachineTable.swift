/// What the machine does, for every state and input: state, input, phase afterwards, effects in order.
///
/// A pair that is not listed leaves the phase as it is and has no effect: the input is late, stale or means nothing there.
/// `+x` and `-x` start and cancel timer x; an announcement shows phase and category; `open`, `abort` and `goodbye` are what the
/// transport is told. Both `dialling` and `opened` are phase connecting, `probing` is phase connected with a ping unanswered.
enum MachineTable {
    static let text = """
        idle          | connect       | connecting    | connecting(connecting), +open, open
        idle          | connectWithin | connecting    | +deadline, connecting(connecting), +open, open
        idle          | performOnce   | idle          | answer badRequest
        dialling      | connectWithin | connecting    | +deadline
        dialling      | disconnect    | disconnected  | abort, -open, disconnected(disconnected)
        dialling      | performOnce   | connecting    | answer badRequest
        dialling      | closed        | waiting       | -open, +retry, waiting(unexpectedDisconnect)
        dialling      | openTimer     | waiting       | abort, +retry, waiting(timeout)
        dialling      | background    | suspended     | abort, -open, suspended(background)
        opened        | connectWithin | connecting    | +deadline
        opened        | disconnect    | disconnected  | abort, -open, disconnected(disconnected)
        opened        | performOnce   | connecting    | send publish(1)
        opened        | received      | connected     | connected(connected), +session, -open, +silence
        opened        | closed        | waiting       | -open, +retry, waiting(unexpectedDisconnect)
        opened        | goAway        | failed        | abort, -open, failed(kicked)
        opened        | openTimer     | waiting       | abort, +retry, waiting(timeout)
        opened        | background    | suspended     | abort, -open, suspended(background)
        connected     | disconnect    | disconnecting | send goodbye, goodbye, cancel jobs, -session, -silence, +close, disconnecting(disconnected)
        connected     | perform       | connected     | send subscribe("c")
        connected     | performOnce   | connected     | send publish(1)
        connected     | updatePolicy  | connected     | +silence
        connected     | received      | connected     | +session
        connected     | closed        | waiting       | cancel jobs, -session, -silence, +retry, waiting(unexpectedDisconnect)
        connected     | goAway        | failed        | abort, cancel jobs, -session, -silence, failed(kicked)
        connected     | silenceTimer  | connected     | +silence
        connected     | sessionTimer  | connected     | event timerFired
        connected     | noRoute       | connected     | send ping, +silence
        connected     | route         | connected     | send ping, +silence
        connected     | background    | suspended     | abort, cancel jobs, -session, -silence, suspended(background)
        probing       | disconnect    | disconnecting | send goodbye, goodbye, cancel jobs, -session, -silence, +close, disconnecting(disconnected)
        probing       | perform       | connected     | send subscribe("c")
        probing       | performOnce   | connected     | send publish(1)
        probing       | received      | connected     | +session
        probing       | closed        | waiting       | cancel jobs, -session, -silence, +retry, waiting(unexpectedDisconnect)
        probing       | goAway        | failed        | abort, cancel jobs, -session, -silence, failed(kicked)
        probing       | silenceTimer  | waiting       | abort, cancel jobs, -session, +retry, waiting(timeout)
        probing       | sessionTimer  | connected     | event timerFired
        probing       | background    | suspended     | abort, cancel jobs, -session, -silence, suspended(background)
        waiting       | connect       | connecting    | -retry, connecting(unexpectedDisconnect), +open, open
        waiting       | connectWithin | connecting    | -retry, +deadline, connecting(unexpectedDisconnect), +open, open
        waiting       | disconnect    | disconnected  | -retry, disconnected(disconnected)
        waiting       | cancelRetry   | failed        | -retry, failed(unexpectedDisconnect)
        waiting       | performOnce   | waiting       | answer badRequest
        waiting       | retryTimer    | connecting    | connecting(unexpectedDisconnect), +open, open
        waiting       | noRoute       | suspended     | -retry, +retry, suspended(networkUnavailable)
        waiting       | route         | connecting    | -retry, connecting(unexpectedDisconnect), +open, open
        waiting       | background    | suspended     | -retry, suspended(background)
        suspended     | connect       | connecting    | -retry, connecting(unexpectedDisconnect), +open, open
        suspended     | connectWithin | connecting    | -retry, +deadline, connecting(unexpectedDisconnect), +open, open
        suspended     | disconnect    | disconnected  | -retry, disconnected(disconnected)
        suspended     | cancelRetry   | failed        | -retry, failed(unexpectedDisconnect)
        suspended     | performOnce   | suspended     | answer badRequest
        suspended     | retryTimer    | connecting    | connecting(unexpectedDisconnect), +open, open
        suspended     | route         | connecting    | -retry, connecting(unexpectedDisconnect), +open, open
        suspended     | background    | suspended     | -retry, suspended(background)
        background    | disconnect    | disconnected  | disconnected(disconnected)
        background    | cancelRetry   | failed        | failed(background)
        background    | performOnce   | suspended     | answer badRequest
        background    | foreground    | connecting    | connecting(background), +open, open
        disconnecting | connect       | connecting    | -close, abort, disconnected(disconnected), connecting(connecting), +open, open
        disconnecting | connectWithin | connecting    | -close, abort, disconnected(disconnected), +deadline, connecting(connecting), +open, open
        disconnecting | performOnce   | disconnecting | answer badRequest
        disconnecting | closed        | disconnected  | -close, disconnected(disconnected)
        disconnecting | closeTimer    | disconnected  | abort, disconnected(disconnected)
        disconnected  | connect       | connecting    | connecting(connecting), +open, open
        disconnected  | connectWithin | connecting    | +deadline, connecting(connecting), +open, open
        disconnected  | performOnce   | disconnected  | answer badRequest
        failed        | connect       | connecting    | connecting(connecting), +open, open
        failed        | connectWithin | connecting    | +deadline, connecting(connecting), +open, open
        failed        | perform       | failed        | answer refused
        failed        | performOnce   | failed        | answer badRequest
        """
}
