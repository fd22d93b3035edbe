$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
$task = Get-ScheduledTask -TaskPath '\groove\' -TaskName 'groove' -ErrorAction SilentlyContinue
if ($task) {
    $trigger = [bool]@($task.Triggers | Where-Object { $_ })
    $running = [string]$task.State -eq 'Running'
    [Console]::Out.Write("installed=True auto_start=$trigger running=$running")
} else {
    [Console]::Out.Write('installed=False auto_start=False running=False')
}
