/// Which version of the library this is.
public final class PNClientInformation: Sendable {
    /// The version of the Cocoa SDK whose API this is.
    public let version = "4.17.0"
    /// The state of the source; empty, since releases are named by their version.
    public let commit = ""

    init() {}

    /// How the client names itself to the service.
    static let sdk = "PubNub-ObjC-\(platform)/4.17.0"

    private static var platform: String {
        #if os(macOS)
            "macOS"
        #elseif os(iOS)
            "iOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(visionOS)
            "visionOS"
        #else
            "Linux"
        #endif
    }
}
