import Observation

/// A line of text about the connection, for a view: nil while the connection works, otherwise the problem and the client's next step. On
/// the main actor. Rule UI-1.
///
/// ```swift
/// @State private var banner: ConnectionBanner  // ConnectionBanner(client)
///
/// if let text = banner.text { Text(text) }
/// ```
///
/// The banner does not keep its client alive.
@available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
@MainActor @Observable
public final class ConnectionBanner {
    /// The latest status of the connection.
    public private(set) var status: ConnectionStatus

    @ObservationIgnored private let words: @Sendable (ConnectionStatus) -> String?
    // `nonisolated(unsafe)` needs no lock: `init` writes the property once, before the object is shared, and only `deinit` reads it.
    @ObservationIgnored nonisolated(unsafe) private var following: Task<Void, Never>?

    /// Makes a banner that follows the statuses of a client.
    ///
    /// - Parameters:
    ///   - client: the client, connected or not.
    ///   - words: returns the line for a status, for other languages or texts; nil for no line. The default is ``text(for:)``.
    public init(_ client: LifelineClient, words: @escaping @Sendable (ConnectionStatus) -> String? = ConnectionBanner.text(for:))
    {
        status = client.status
        self.words = words
        let statuses = client.statuses
        following = Task { [weak self] in
            for await status in statuses {
                guard let self else { return }
                self.status = status
            }
        }
    }

    deinit { following?.cancel() }

    /// The text of the banner; nil when the banner is hidden, such as while the connection works.
    public var text: String? { words(status) }

    /// Whether the banner has a text and is therefore shown.
    public var isVisible: Bool { text != nil }

    /// The English line for a status. It never describes the connection as better than it is. Nil while the connection works, before the
    /// first `connect`, and after a `disconnect` by the app.
    public nonisolated static func text(for status: ConnectionStatus) -> String? {
        let reason = status.cause.map { " \($0.reason)" } ?? ""
        switch status.phase {
        case .connected, .idle, .disconnecting, .disconnected: return nil
        case .connecting: return status.attempt == 0 ? "Connecting …" : "Connecting again …"
        case .waiting:
            guard let pause = status.retryIn else { return "Not connected.\(reason)" }
            let seconds = (pause / .seconds(1)).rounded(.up)
            return seconds < 1
                ? "Not connected.\(reason)" : "Not connected, next attempt in \(Int(min(seconds, 86_400))) s.\(reason)"
        case .suspended: return status.category == .background ? "Paused." : "No network."
        case .failed: return "Not connected, and nothing more is tried.\(reason)"
        }
    }
}
