import ServerRuntime

// The metrics of applications that are made at run time (rule AR-18).
extension RuntimeApplications {
    var metrics: [@Sendable (inout PrometheusText) -> Void] {
        guard hasStore else { return [] }
        return [
            { [weak self] out in
                guard let self else { return }
                out.value(
                    "runtime_applications", .gauge,
                    "Applications that were made at run time, as this server has read them from the store.",
                    table.applications.count)
                out.value(
                    "runtime_applications_readable", .gauge,
                    "0 while the store of these applications cannot be read, so that changes of other servers are missed.",
                    trouble == nil ? 1 : 0)
            }
        ]
    }
}
