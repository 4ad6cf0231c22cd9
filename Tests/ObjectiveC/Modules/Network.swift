// What the compiler expects of Network's Swift module. Only checked, never run.
import Foundation

private func unreachable() -> Never { fatalError() }

open class NWProtocolOptions {}

public class NWProtocolWebSocket {
    public enum CloseCode {
        public enum Defined: UInt16 {
            case normalClosure = 1000
            case goingAway
            case protocolError
            case unsupportedData
            case noStatusReceived = 1005
            case abnormalClosure
            case invalidFramePayloadData
            case policyViolation
            case messageTooBig
            case mandatoryExtension
            case internalServerError
            case tlsHandshake = 1015
        }

        case protocolCode(Defined)
        case applicationCode(UInt16)
        case privateCode(UInt16)
    }

    public enum Version {
        case v13
    }

    public class Options: NWProtocolOptions {
        public init(_ version: Version = .v13) { unreachable() }
        public var autoReplyPing: Bool {
            get { unreachable() }
            set { unreachable() }
        }
        public var maximumMessageSize: Int {
            get { unreachable() }
            set { unreachable() }
        }
        public func setAdditionalHeaders(_ headers: [(name: String, value: String)]) { unreachable() }
        public func setSubprotocols(_ subprotocols: [String]) { unreachable() }
    }
}

public enum NWError: Error {
    case posix(POSIXErrorCode)
    case dns(Int32)
    case tls(Int32)
}
