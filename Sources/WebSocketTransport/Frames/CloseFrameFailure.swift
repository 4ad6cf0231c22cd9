import ConnectionEngine
import WebSocketFraming

extension ConnectionFailure {
    /// Returns the failure for a close frame of the peer. A session may replace it by a more precise one (rule WT-14).
    static func closeFrame(_ code: WebSocketCloseCode?, reason: UnsafeRawBufferPointer) -> ConnectionFailure {
        let category: StatusCategory =
            switch code {
            case .goingAway?, .serviceRestart?: .serverRestart
            case .tryAgainLater?: .overloaded
            default: .unexpectedDisconnect
            }
        return ConnectionFailure(category, words(reason), origin: .server, closeCode: code.map { Int($0.rawValue) } ?? 1005)
    }

    /// The reason in the peer's close frame as one line: at most 123 bytes, because a control frame has at most 125.
    private static func words(_ reason: UnsafeRawBufferPointer) -> String {
        if reason.isEmpty { return "The server closed the connection." }
        var text = ""
        for scalar in String(decoding: reason, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: text.append(" ")
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
