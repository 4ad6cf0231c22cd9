import ConnectionEngine
import EngineRuntime
import EngineTesting

/// The clients from the bytes of a server to what an app is told. Sockets, time and HTTP requests are scripted.
enum ClientTargets {
    static let all = [
        FuzzTarget(name: "chat-client", run: ChatClientTarget.run),
        FuzzTarget(name: "pusher-client", run: PusherClientTarget.run),
        FuzzTarget(name: "pubnub-client", run: PubNubClientTarget.run),
        FuzzTarget(name: "pubnub-calls", run: PubNubCallsTarget.run),
    ]

    /// How many frames or answers of an input are used.
    static let longestScript = 64

    /// Plays an input to a client on a WebSocket: each line is a frame of the server. The line `-` ends the connection, and the client
    /// connects again. The line `+` lets the time until the next timer pass.
    ///
    /// - Parameter greeted: called when the first line has been played.
    static func play<Session: WebSocketSession>(
        _ input: FuzzInput, to transport: ScriptedTransport<Session>, _ timers: ManualTimers,
        decoder makeDecoder: () -> Session.Decoder, greeted: () -> Void = {}, settle: () -> Void
    ) {
        var input = input
        var decoder = makeDecoder()
        transport.report(.opened)
        settle()
        for (index, line) in input.lines(upTo: longestScript).enumerated() {
            if index == 1 { greeted() }
            switch line.text {
            case "-":
                transport.report(.closed(ConnectionFailure(.networkUnavailable, "Scripted.")))
                settle()
                let dials = transport.dials
                for _ in 0..<8 where transport.dials == dials {
                    timers.advanceToNext()
                    settle()
                }
                decoder = makeDecoder()
                transport.report(.opened)
            case "+": timers.advanceToNext()
            default:
                // The transport has checked that text is UTF-8.
                var text = line.text
                let inbound = text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) }
                if let inbound { transport.report(.received([inbound])) }
            }
            settle()
        }
        transport.report(.closed(ConnectionFailure(.networkUnavailable, "Scripted.")))
        settle()
    }
}
