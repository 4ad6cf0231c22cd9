import ChatDatabase
import ChatProtocol
import ConnectionEngine
import EngineRuntime
import TransportCommon

/// Makes the parts of an engine: for production, or scripted ones in tests.
struct ChatEngineAssembly: Sendable {
    typealias Driver = ConnectionDriver<ChatSession>

    /// Makes the driver that carries a session.
    var makeDriver: @Sendable (EngineSettings, ChatMemory, ConnectionPolicy) -> Driver
    /// The clock of timers outside of the connection: the limit in the background, and the time limit of waiting messages.
    var timers: any TimerScheduler
    /// Observes the network for connections to a host; nil when it cannot be observed.
    var observeNetwork: @Sendable (String, @escaping @Sendable (NetworkStatus) -> Void) -> NetworkObservation? = { _, _ in nil }
    /// Opens the database of a user.
    var openDatabase:
        @Sendable (_ directory: String, _ appKey: String, _ user: String) throws(ChatDatabaseError) -> (ChatDatabase, Bool) = {
            (directory, appKey, user) throws(ChatDatabaseError) in
            let (database, isRecreated) = try ChatDatabase.open(directory: directory, appKey: appKey, user: user)
            return (database, isRecreated)
        }
    /// Handles arriving events.
    var intake: any ChatIntake
}
