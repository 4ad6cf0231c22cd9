import ConnectionEngine
import WebSocketFraming

extension ConnectionFailure {
    /// Returns the failure for the peer's close frame, unless a session has a more precise one (rule WT-14).
    static func closeFrame(_ code: WebSocketCloseCode?, reason: UnsafeRawBufferPointer) -> ConnectionFailure {
        let category: StatusCategory =
            switch code {
            case .goingAway?, .serviceRestart?: .serverRestart
            case .tryAgainLater?: .overloaded
            default: .unexpectedDisconnect
            }
        return ConnectionFailure(category, words(reason), origin: .server, closeCode: code.map { Int($0.rawValue) } ?? 1005)
    }

    /// The peer's reason as one line: at most 123 bytes, the limit of a control frame.
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
