import ConnectionEngine
import Foundation

// Replacements for the types of Apple's Network framework that PusherSwift's API uses, with the same names. Platforms with that framework
// use its own types.

#if canImport(Network)
    import Network
#else
    /// The connection error of the Network framework, with the cases that concern a WebSocket.
    public enum NWError: Error, Hashable, Sendable, CustomDebugStringConvertible {
        /// An error number of the operating system.
        case posix(POSIXErrorCode)
        /// A host name could not be resolved; the code is one of DNS-SD.
        case dns(Int32)
        /// TLS failed; the code is one of Apple's Security framework.
        case tls(Int32)

        public var debugDescription: String {
            switch self {
            case .posix(let code): "POSIX error \(code.rawValue)"
            case .dns(let code): "DNS error \(code)"
            case .tls(let code): "TLS error \(code)"
            }
        }
    }

    /// Network's WebSocket types.
    public enum NWProtocolWebSocket {
        /// Why a WebSocket was closed (RFC 6455, section 7.4).
        public enum CloseCode: Hashable, Sendable {
            /// The close codes that RFC 6455, section 7.4.1, defines.
            public enum Defined: UInt16, Hashable, Sendable {
                /// The connection is no longer needed.
                case normalClosure = 1000
                /// The peer is going away, for example because a server is shut down.
                case goingAway = 1001
                /// The peer violated the protocol.
                case protocolError = 1002
                /// The peer cannot handle this type of data, such as binary messages.
                case unsupportedData = 1003
                /// The close frame contained no code. This code is never sent.
                case noStatusReceived = 1005
                /// The connection was lost without a close frame. This code is never sent.
                case abnormalClosure = 1006
                /// A message had invalid data, such as text that is not UTF-8.
                case invalidFramePayloadData = 1007
                /// A message violated the peer's policy.
                case policyViolation = 1008
                /// A message was too long.
                case messageTooBig = 1009
                /// The client requires an extension that the server does not support.
                case mandatoryExtension = 1010
                /// The server failed.
                case internalServerError = 1011
                /// The TLS handshake failed. This code is never sent.
                case tlsHandshake = 1015
            }

            /// A close code that RFC 6455 defines.
            case protocolCode(Defined)
            /// A code from 3000 to 3999, for libraries and frameworks.
            case applicationCode(UInt16)
            /// A code from 4000 to 4999, for private use between client and server, such as Pusher's codes.
            case privateCode(UInt16)
        }

        /// The options of a WebSocket connection.
        public final class Options: Hashable {
            /// Has no effect: pings are always answered.
            public var autoReplyPing = false
            /// The longest accepted message, in bytes; 0 for the library's own limit of 32 MiB.
            public var maximumMessageSize = 0
            var headers: [(name: String, value: String)] = []
            var subprotocols: [String] = []

            /// Creates options with default values.
            public init() {}

            /// Sets additional headers of the upgrade request.
            public func setAdditionalHeaders(_ headers: [(name: String, value: String)]) {
                self.headers = headers
            }

            /// Sets the subprotocols to offer, in this order.
            public func setSubprotocols(_ subprotocols: [String]) {
                self.subprotocols = subprotocols
            }

            public static func == (left: Options, right: Options) -> Bool { left === right }

            public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
    }
#endif

extension NWProtocolWebSocket.CloseCode {
    /// Creates the close code that a peer sent. A number outside of all ranges becomes `abnormalClosure`.
    init(number: Int) {
        if let number = UInt16(exactly: number), let defined = Defined(rawValue: number) {
            self = .protocolCode(defined)
        } else if let code = UInt16(exactly: number), (3000...3999).contains(number) {
            self = .applicationCode(code)
        } else if let code = UInt16(exactly: number), (4000...4999).contains(number) {
            self = .privateCode(code)
        } else {
            self = .protocolCode(.abnormalClosure)
        }
    }

    /// The number of the close code in a close frame.
    var number: Int {
        // This is not a `switch`, because later versions of Apple's enum may have more cases.
        if case .protocolCode(let defined) = self { return Int(defined.rawValue) }
        if case .applicationCode(let code) = self { return Int(code) }
        if case .privateCode(let code) = self { return Int(code) }
        return 1006
    }
}

extension NWError {
    /// Error codes of Apple's frameworks: DNS-SD's "no such record", and Security's "peer failed the handshake" and "certificate chain not
    /// valid".
    private static let noSuchRecord: Int32 = -65_554
    private static let handshakeFailed: Int32 = -9824
    private static let invalidChain: Int32 = -9807

    /// Converts the failure of a transport to an error of the Network framework.
    init(_ failure: ConnectionFailure) {
        switch failure.category {
        case .tlsUntrusted: self = .tls(Self.invalidChain)
        case .tlsFailed: self = .tls(Self.handshakeFailed)
        case .timeout: self = .posix(.ETIMEDOUT)
        default:
            if let code = failure.errno.flatMap({ POSIXErrorCode(rawValue: $0) }) {
                self = .posix(code)
            } else {
                self = failure.category == .networkUnavailable ? .dns(Self.noSuchRecord) : .posix(.ECONNABORTED)
            }
        }
    }

    /// Converts the error to a failure of the connection engine (rule PA-51).
    var failure: ConnectionFailure {
        if case .posix(let code) = self {
            let category: StatusCategory = code == .ETIMEDOUT ? .timeout : .networkUnavailable
            return ConnectionFailure(category, "The socket failed with the POSIX error \(code.rawValue).", errno: code.rawValue)
        }
        if case .tls(let code) = self {
            let isUntrusted = (-9_815 ... -9_807).contains(code) || code == -9_843
            return ConnectionFailure(isUntrusted ? .tlsUntrusted : .tlsFailed, "The socket failed with the TLS error \(code).")
        }
        return ConnectionFailure(.networkUnavailable, "The socket failed, because the host name was not found.")
    }

    /// Whether the error only reports that there is no connection. PusherSwift does not treat such an error as a loss of the connection.
    var saysNotConnected: Bool {
        if case .posix(.ENOTCONN) = self { true } else { false }
    }
}
