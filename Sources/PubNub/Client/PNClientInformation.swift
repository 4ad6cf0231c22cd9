/// The version of this library and of the Cocoa SDK whose API it implements.
public final class PNClientInformation: Sendable {
    /// The version of the Cocoa SDK whose API the library implements.
    public let version = "4.17.0"
    /// The commit of the source; empty, because releases are identified by their version.
    public let commit = ""

    init() {}

    /// The library's name and version. Each request sends this text to the service as the parameter `pnsdk`.
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
