import ClientRuntime
import EngineRuntime
import Foundation
import Logging
import NIOConcurrencyHelpers
import TransportCommon

/// How a client is set up. Defaults are those of the Cocoa SDK 4.17 (rules PK-10 to PK-16).
///
/// A client copies it: changes after ``PubNub/clientWithConfiguration(_:)`` have no effect on it. May be used from any thread.
public final class PNConfiguration: Sendable {
    private let box: NIOLockedValueBox<ConfigurationValues>

    /// A configuration with the defaults. The user id and the device id are those of the last time, see ``uuid``.
    public convenience init(publishKey: String, subscribeKey: String) {
        self.init(publishKey: publishKey, subscribeKey: subscribeKey, identities: .shared)
    }

    convenience init(publishKey: String, subscribeKey: String, identities: IdentityStore) {
        self.init(
            ConfigurationValues(
                publishKey: publishKey, subscribeKey: subscribeKey, uuid: identities.userID(publishKey: publishKey),
                deviceID: identities.deviceID))
    }

    init(_ values: ConfigurationValues) {
        box = NIOLockedValueBox(values)
    }

    var values: ConfigurationValues { box.withLockedValue { $0 } }

    /// See `use(_:)`.
    func setDouble(_ double: any ServiceDouble) { write(\.double, DoubleReference(double: double)) }

    fileprivate func read<Value>(_ path: KeyPath<ConfigurationValues, Value>) -> Value {
        box.withLockedValue { $0[keyPath: path] }
    }

    fileprivate func write<Value>(_ path: WritableKeyPath<ConfigurationValues, Value>, _ value: Value) {
        box.withLockedValue { $0[keyPath: path] = value }
    }

    /// Identifies this device; created once and stored.
    public var deviceID: String { read(\.deviceID) }

    /// Who the user is. Without one of your own: `pn-` and a random id, made once for each publish key and kept in the user's folder
    /// for application data. Setting an empty one has no effect.
    public var uuid: String {
        get { read(\.uuid) }
        set { if !newValue.isEmpty { write(\.uuid, newValue) } }
    }

    /// Seconds after which the service takes the user for gone, 20 to 300; 0, the default, for the service's own. Setting it also
    /// sets ``presenceHeartbeatInterval`` to half of it less one.
    public var presenceHeartbeatValue: Int {
        get { read(\.presenceHeartbeatValue) }
        set {
            let value = min(max(newValue, 20), 300)
            box.withLockedValue { values in
                values.presenceHeartbeatValue = value
                values.presenceHeartbeatInterval = value / 2 - 1
            }
        }
    }

    /// The service's host, or host and port: `ps.pndsn.com` by default, `127.0.0.1:6001` for a server of your own.
    ///
    /// A scheme, `https://` or `http://`, may be in front. Without one connections are encrypted, unless the host is this machine
    /// itself: `localhost`, an address of 127.0.0.0/8, or `::1`. ``TLSEnabled`` says otherwise when it is set (rule PK-66).
    public var origin: String {
        get { read(\.origin) }
        set { write(\.origin, newValue) }
    }

    /// The key to publish with.
    public var publishKey: String {
        get { read(\.publishKey) }
        set { write(\.publishKey, newValue) }
    }

    /// The key to subscribe with.
    public var subscribeKey: String {
        get { read(\.subscribeKey) }
        set { write(\.subscribeKey, newValue) }
    }

    /// An auth key or access token; sent with every request. A secret.
    public var authKey: String? {
        get { read(\.authKey) }
        set { write(\.authKey, newValue) }
    }

    /// With it messages are encrypted and decrypted. A secret.
    public var cipherKey: String? {
        get { read(\.cipherKey) }
        set { write(\.cipherKey, newValue) }
    }

    /// Seconds after which a poll without an answer is given up; 310 by default, more than the service holds polls.
    public var subscribeMaximumIdleTime: TimeInterval {
        get { read(\.subscribeMaximumIdleTime) }
        set { write(\.subscribeMaximumIdleTime, newValue) }
    }

    /// The time limit in seconds for any other request; 10 by default.
    public var nonSubscribeRequestTimeout: TimeInterval {
        get { read(\.nonSubscribeRequestTimeout) }
        set { write(\.nonSubscribeRequestTimeout, newValue) }
    }

    /// Seconds between heartbeats; 0, the default, for none.
    public var presenceHeartbeatInterval: Int {
        get { read(\.presenceHeartbeatInterval) }
        set { write(\.presenceHeartbeatInterval, newValue) }
    }

    /// The heartbeats of which listeners are notified; the failed ones by default.
    public var heartbeatNotificationOptions: PNHeartbeatNotificationOptions {
        get { read(\.heartbeatNotificationOptions) }
        set { write(\.heartbeatNotificationOptions, newValue) }
    }

    /// Whether to unsubscribe without notifying the service; false by default.
    public var suppressLeaveEvents: Bool {
        get { read(\.suppressLeaveEvents) }
        set { write(\.suppressLeaveEvents, newValue) }
    }

    /// Whether heartbeats are sent only for the channels and groups that the presence builder's `connected` named; false by default.
    public var managePresenceListManually: Bool {
        get { read(\.managePresenceListManually) }
        set { write(\.managePresenceListManually, newValue) }
    }

    /// Whether connections are encrypted. What is set counts, whatever ``origin`` says; until then it reads what ``origin`` leads to:
    /// true, unless that begins with `http://`, or has no scheme and its host is this machine itself (rule PK-66).
    public var TLSEnabled: Bool {
        get { read(\.usesTLS) }
        set { write(\.chosenTLS, newValue) }
    }

    /// Whether a changed list of channels goes on from where the former stood; true by default.
    public var keepTimeTokenOnListChange: Bool {
        get { read(\.keepTimeTokenOnListChange) }
        set { write(\.keepTimeTokenOnListChange, newValue) }
    }

    /// Whether the client subscribes again after network trouble. With false, the list of channels is emptied when the connection is
    /// lost. True by default.
    public var restoreSubscription: Bool {
        get { read(\.restoreSubscription) }
        set { write(\.restoreSubscription, newValue) }
    }

    /// Whether a restored subscription goes on from the last timetoken, so that nothing is missed; true by default.
    public var catchUpOnSubscriptionRestore: Bool {
        get { read(\.catchUpOnSubscriptionRestore) }
        set { write(\.catchUpOnSubscriptionRestore, newValue) }
    }

    /// How many messages in one answer lead to `PNRequestMessageCountExceededCategory`; 0, the default, for never.
    public var requestMessageCountThreshold: UInt {
        get { read(\.requestMessageCountThreshold) }
        set { write(\.requestMessageCountThreshold, newValue) }
    }

    /// How many messages are remembered to recognise repetitions; 100 by default, 0 for off.
    public var maximumMessagesCacheSize: UInt {
        get { read(\.maximumMessagesCacheSize) }
        set { write(\.maximumMessagesCacheSize, newValue) }
    }

    /// Whether calls that are in progress when the application goes to the background are completed; true by default.
    ///
    /// With true they go on, and iOS, tvOS and visionOS are asked to let the process run until they were answered. With false
    /// they end at once with `PNCancelledCategory`; the service may have done what they asked for. The subscription is closed in either
    /// case, see ``PubNub/applicationDidEnterBackground()``. iOS only in the Cocoa SDK.
    public var completeRequestsBeforeSuspension: Bool {
        get { read(\.completeRequestsBeforeSuspension) }
        set { write(\.completeRequestsBeforeSuspension, newValue) }
    }

    /// Whether the system's notifications close the subscription's connection while the application is in the background; true unless
    /// set. Turn it off for an application that the system lets run there, such as one that plays audio; then only
    /// ``PubNub/applicationDidEnterBackground()`` closes it. An addition to the Cocoa SDK (rule PK-76).
    public var suspendsInBackground: Bool {
        get { read(\.suspendsInBackground) }
        set { write(\.suspendsInBackground, newValue) }
    }

    /// For how many seconds the subscription's connection is kept after the application went to the background; 20 unless set. A return
    /// within this time costs nothing: no presence event, no missed message. Zero closes the connection at once, nil never; the system may
    /// suspend the process sooner, and then the connection is closed before. An addition to the Cocoa SDK (rule PK-83).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval? {
        get { read(\.backgroundGrace) }
        set { write(\.backgroundGrace, newValue) }
    }

    /// How soon a dead connection is noticed, and what that costs while nothing is said; balanced unless set, which is 25 s. A
    /// ``subscribeRenewalInterval`` counts before it. Frugal idles as PubNub's own SDKs do. An addition to the Cocoa SDK (rule PK-84).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness {
        get { read(\.liveness) }
        set { write(\.liveness, newValue) }
    }

    /// Which of the device's paths to the network the subscription, calls and files may use; all unless set. While only others are there,
    /// attempts fail with `networkUnavailable` as their cause. On Apple platforms only: on Linux it has no effect. An addition to the Cocoa SDK
    /// (rules PK-85 and SO-108).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths {
        get { read(\.networkPaths) }
        set { write(\.networkPaths, newValue) }
    }

    /// Whether App Nap of macOS is kept away while the client is subscribed or tries to be; false unless set, since it costs battery. No effect
    /// elsewhere. An addition to the Cocoa SDK (rules PK-86 and BG-12).
    public var preventsAppNap: Bool {
        get { read(\.preventsAppNap) }
        set { write(\.preventsAppNap, newValue) }
    }

    /// iOS only in the Cocoa SDK: kept, without effect.
    public var applicationExtensionSharedGroupIdentifier: String {
        get { read(\.sharedGroupIdentifier) }
        set { write(\.sharedGroupIdentifier, newValue) }
    }

    /// Cocoa SDK 4.5 to 4.8: kept, without effect.
    public var stripMobilePayload: Bool {
        get { read(\.stripMobilePayload) }
        set { write(\.stripMobilePayload, newValue) }
    }

    /// Whether each message is encrypted with an initialization vector of its own; true by default.
    public var shouldUseRandomInitializationVector: Bool {
        get { read(\.usesRandomInitializationVector) }
        set { write(\.usesRandomInitializationVector, newValue) }
    }

    /// How often publishing the message about an uploaded file is tried; 5 by default.
    public var fileMessagePublishRetryLimit: UInt {
        get { read(\.fileMessagePublishRetryLimit) }
        set { write(\.fileMessagePublishRetryLimit, newValue) }
    }
}

// Settings that the Cocoa SDK does not have.
extension PNConfiguration {
    /// How patient the client is. An addition to the Cocoa SDK.
    public var timing: PNTiming {
        get { read(\.timing) }
        set { write(\.timing, newValue) }
    }

    /// How a lost subscription is taken up again. An addition to the Cocoa SDK.
    public var retryPolicy: PNRetryPolicy {
        get { read(\.retryPolicy) }
        set { write(\.retryPolicy, newValue) }
    }

    /// With it requests are signed, and access can be granted. A secret, for servers only. An addition to the Cocoa SDK.
    public var secretKey: String? {
        get { read(\.secretKey) }
        set { write(\.secretKey, newValue) }
    }

    /// A proxy for every connection; nil, the default, for none. An addition to the Cocoa SDK.
    public var proxy: PNProxy? {
        get { read(\.proxy) }
        set { write(\.proxy, newValue) }
    }

    /// Seconds without a single byte after which a poll is asked again, over a new connection and from the same timetoken; 0 for never,
    /// otherwise at least 1. Nil, the default, for that of the timing: 60, or 6 in the fast one. Costs one request for each interval
    /// in which nothing is published: 60 an hour by default, where the service alone would be asked 13 times. An addition to the
    /// Cocoa SDK (rule PK-64).
    public var subscribeRenewalInterval: TimeInterval? {
        get { read(\.subscribeRenewalInterval) }
        set { write(\.subscribeRenewalInterval, newValue) }
    }

    /// Seconds that the answer to a poll may take from its first byte to its last, 0.1 to 3600. Nil, the default, for that of the
    /// timing: 30, or 5 in the fast one. An addition to the Cocoa SDK (rule PK-65).
    public var messageTimeout: TimeInterval? {
        get { read(\.messageTimeout) }
        set { write(\.messageTimeout, newValue) }
    }

    /// How many bytes of an answer are kept at most, 1 KiB to 16 MiB; a longer one is refused as `PNMalformedResponseCategory`. Nil, the
    /// default, for 8 MiB of a subscription and 16 MiB of a call; 4 MiB in the fast timing. An addition to the Cocoa SDK (rule PK-65).
    public var maximumAnswerSize: Int? {
        get { read(\.maximumAnswerSize) }
        set { write(\.maximumAnswerSize, newValue) }
    }

    /// The log for changes of the connection and of subscriptions, and for what the client publishes; nil, the default, for none.
    /// ``PubNub/logger`` of the client is another log, with the lines of the SDK. An addition to the Cocoa SDK (rules PK-68 and OB-1).
    public var logger: Logger? {
        get { read(\.logger.value) }
        set { write(\.logger.value, newValue) }
    }

    /// The metrics in which the client counts and times its work; nil, the default, for none. An addition to the Cocoa SDK (rules PK-68
    /// and OB-3).
    public var metrics: ClientMetrics? {
        get { read(\.metrics.value) }
        set { write(\.metrics.value, newValue) }
    }

    /// Keys of which the service has to show one, besides being trusted: SHA-256 of the public key (SPKI) in base64, with `sha256/` in
    /// front or without. Empty, the default, for any. They count for the subscription, for calls and for files.
    ///
    /// While a text among them is not a pin, nothing is sent: the subscription and every call end as `PNBadRequestCategory`, with a sentence
    /// that names it. An addition to the Cocoa SDK (rule PK-69).
    public var certificatePins: [String] {
        get { read(\.certificatePins) }
        set { write(\.certificatePins, newValue) }
    }

    /// The certificate that the client presents when the service requests one; nil, the default, for none. An addition to the Cocoa SDK
    /// (rules PK-70 and WT-50).
    public var clientCertificate: ClientCertificate? {
        get { read(\.clientCertificate) }
        set { write(\.clientCertificate, newValue) }
    }

    /// Further keys that messages and files are decrypted with, beside ``cipherKey``, which is tried first and alone encrypts. At most
    /// seven, and without effect without ``cipherKey``; with more nothing is sent, and the subscription and every call end as
    /// `PNBadRequestCategory`. Secrets. An addition to the Cocoa SDK (rules PK-71 and PC-14).
    ///
    /// To replace a key: first give every client the new one for reading, then make it ``cipherKey`` and keep the old one for reading, and
    /// remove the old one when nothing is needed any more that was encrypted with it.
    public var readingCipherKeys: [String] {
        get { read(\.readingCipherKeys) }
        set { write(\.readingCipherKeys, newValue) }
    }

    /// Path of a PEM file with the only authorities to trust; nil, the default, for those of the system. An addition to the Cocoa SDK.
    public var certificateAuthorityFile: String? {
        get { read(\.certificateAuthorityFile) }
        set { write(\.certificateAuthorityFile, newValue) }
    }
}
