//! Processes of a run that have left its process group: found by the mark in their environment, and ended.
//! Where a system shows no other process's environment, the group is all that can be reached.

/// Ends every process that carries the mark of a run, those that they start meanwhile included.
#[cfg(target_os = "linux")]
pub(super) fn kill(run: &str) {
    /// A process that forks faster than it is found is not chased for ever.
    const ROUNDS: usize = 8;
    let mark = format!("{}={run}", super::process::RUN).into_bytes();
    for _ in 0..ROUNDS {
        if linux::kill_marked(&mark) == 0 {
            return;
        }
    }
}

/// Nothing can be found here.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill(_run: &str) {}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use rustix::process::{Pid, PidfdFlags, Signal, getuid, pidfd_open, pidfd_send_signal};

    /// Ends the processes whose environment holds the mark; how many there were.
    pub(super) fn kill_marked(mark: &[u8]) -> usize {
        let own = getuid().as_raw();
        let Ok(processes) = fs::read_dir("/proc") else { return 0 };
        let mut killed = 0;
        for process in processes.flatten() {
            let pid = process
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
                .and_then(Pid::from_raw);
            let Some(pid) = pid else { continue };
            if !process.metadata().is_ok_and(|found| found.uid() == own) {
                continue;
            }
            // Opened before the look: another process can't take the number in between.
            let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
                continue;
            };
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            let is_marked = environment.split(|byte| *byte == 0).any(|variable| variable == mark);
            if is_marked && pidfd_send_signal(&handle, Signal::KILL).is_ok() {
                killed += 1;
            }
        }
        killed
    }
}
